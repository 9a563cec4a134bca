import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { SvgExpansion } from './svg-expansion.ts';

const svgNamespace = 'http://www.w3.org/2000/svg';
const xhtmlNamespace = 'http://www.w3.org/1999/xhtml';

/** Elements that draw, describe or style. Scripts, foreign objects and animations, which can change links, are not here. */
const elements = new Set(
  `svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan textPath image
   linearGradient radialGradient stop pattern clipPath mask marker style switch view a
   filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
   feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology
   feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`.split(/\s+/),
);

/** Attributes whose values are read as style sheets are. */
const styled = /^(style|fill|stroke|filter|mask|clip-path|marker(-\w+)?|cursor|src)$/;

const mostElements = 50_000;
const deepest = 256;

/** Whether a text is an SVG, and what in it may not be: whatever runs, or leads out of the file. */
export function screenSvg(text: string): { isSvg: boolean; objection?: string } {
  const screening = new SvgScreening();
  screening.read(text);
  const { isSvg, objection } = screening;
  return { isSvg, ...(objection !== undefined && { objection }) };
}

class SvgScreening {
  isSvg = false;
  /** The first one: it is what the refusal names. */
  objection: string | undefined;
  #count = 0;
  #depth = 0;
  #styles = 0;
  readonly #expansion = new SvgExpansion();

  read(text: string): void {
    const parser = new SaxesParser({ xmlns: true });
    parser.on('error', ({ message }) => this.#object(`it is not well-formed XML (${message})`));
    parser.on('xmldecl', ({ encoding }) => {
      if (encoding && !/^utf-?8$/i.test(encoding))
        this.#object(`it says that it is ${encoding}, and only UTF-8 is read`);
    });
    parser.on('doctype', (type) => {
      if (type.includes('[')) this.#object('its DOCTYPE declares entities');
    });
    parser.on('processinginstruction', ({ target }) => this.#object(`it has the instruction <?${target}?>`));
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', (tag) => this.#close(tag));
    parser.on('text', (content) => this.#text(content));
    parser.on('cdata', (content) => this.#text(content));
    parser.write(text).close();
    const expansion = this.objection === undefined ? this.#expansion.objection() : undefined;
    if (expansion !== undefined) this.#object(expansion);
  }

  #open({ uri, local, attributes }: SaxesTagNS): void {
    this.#count += 1;
    this.#depth += 1;
    if (this.#count === 1) this.isSvg = uri === svgNamespace && local === 'svg';
    if (this.#count > mostElements) this.#object(`it has more than ${mostElements} elements`);
    if (this.#depth > deepest) this.#object(`its elements are nested deeper than ${deepest}`);
    // Other vocabularies are notes of the editor that made it: nothing draws or runs them.
    const isKnown = uri === svgNamespace ? elements.has(local) : uri !== '' && uri !== xhtmlNamespace;
    if (!isKnown) this.#object(`it has the element <${local}>`);
    if (local === 'style') this.#styles += 1;
    for (const attribute of Object.values(attributes)) this.#attribute(local, attribute);
    this.#expansion.open(Object.values(attributes));
  }

  #close({ local }: SaxesTagNS): void {
    this.#depth -= 1;
    this.#expansion.close();
    if (local === 'style') this.#styles -= 1;
  }

  #attribute(element: string, { name, local, value }: SaxesAttributeNS): void {
    const where = `${name} of <${element}>`;
    if (/^on/i.test(local)) this.#object(`<${element}> has the event handler ${name}`);
    if (name === 'xml:base') this.#object('it has xml:base');
    if (local === 'href' && !isInner(value)) this.#object(`${where} refers to ${shortened(value)}`);
    if (/(java|vb)script:/i.test(value.replace(/[\s\p{Cc}]/gu, ''))) this.#object(`${where} has a script`);
    if (styled.test(local)) this.#style(value, where);
  }

  #text(content: string): void {
    if (this.#styles > 0) this.#style(content, '<style>');
  }

  /** Style sheets load by `url()`, `image-set()` and `@import`; escapes could hide each of them. */
  #style(text: string, where: string): void {
    if (/@import|image-set|expression\s*\(|-moz-binding|behavior\s*:|\\/i.test(text)) {
      this.#object(`${where} loads or runs something`);
    }
    for (const [, target = ''] of text.matchAll(/url\(\s*['"]?([^'")]*)/gi)) {
      if (!isInner(target)) this.#object(`${where} refers to ${shortened(target)}`);
    }
  }

  #object(objection: string): void {
    this.objection ??= objection;
  }
}

/** Something of the same file, or a picture that is written out in it. */
const isInner = (target: string) => /^\s*(#|$|data:image\/(png|jpe?g|gif|webp)[;,])/i.test(target);

const shortened = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
