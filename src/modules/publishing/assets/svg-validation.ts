import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';

const svgNamespace = 'http://www.w3.org/2000/svg';
const xhtmlNamespace = 'http://www.w3.org/1999/xhtml';

/** Allowed elements. Scripts, foreign objects and animations (which can change links) are excluded. */
const allowedElements = new Set(
  `svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan textPath image
   linearGradient radialGradient stop pattern clipPath mask marker style switch view a
   filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
   feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology
   feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`.split(/\s+/),
);

/** Attributes whose values can contain CSS. */
const cssAttributes = /^(style|fill|stroke|filter|mask|clip-path|marker(-\w+)?|cursor|src)$/;

const maxElements = 50_000;
const maxDepth = 256;

/** Rejects active content and references to other files. */
export const validateSvg = (text: string): Pick<SvgValidator, 'isSvg' | 'violation'> => new SvgValidator(text);

const keptAttributeNamespaces = new Set([
  '',
  'http://www.w3.org/1999/xlink',
  'http://www.w3.org/XML/1998/namespace',
  'http://www.w3.org/2000/xmlns/',
]);

/**
 * Removes metadata, comments, and elements and attributes of editors, which can contain names and file paths. The text
 * must be well-formed, and the result must be validated: removing elements joins the text around them.
 */
export function stripSvgMetadata(text: string): string {
  const kept: string[] = [];
  let keptUntil = 0;
  const replace = (from: number, to: number, replacement = '') => {
    kept.push(text.slice(keptUntil, from), replacement);
    keptUntil = to;
  };
  let removedSince = 0;
  let removedDepth = 0;
  const parser = new SaxesParser({ xmlns: true });
  // Reported before the last character of the comment is read.
  parser.on('comment', () => {
    if (removedDepth === 0) replace(text.lastIndexOf('<!--', parser.position), parser.position + 1);
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    // The character < is not allowed within a tag.
    const start = text.lastIndexOf('<', parser.position - 1);
    if (removedDepth > 0 || uri !== svgNamespace || local === 'metadata') {
      if (removedDepth === 0) removedSince = start;
      removedDepth += 1;
      return;
    }
    const tag = text.slice(start, parser.position);
    const withoutEditor = tag.replace(/(?<!\s)\s+([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g, (attribute, name) =>
      keptAttributeNamespaces.has(attributes[name]?.uri ?? '') ? attribute : '',
    );
    if (withoutEditor !== tag) replace(start, parser.position, withoutEditor);
  });
  parser.on('closetag', () => {
    if (removedDepth === 0) return;
    removedDepth -= 1;
    if (removedDepth === 0) replace(removedSince, parser.position);
  });
  parser.write(text).close();
  return [...kept, text.slice(keptUntil)].join('');
}

class SvgValidator {
  isSvg = false;
  /** The first violation, for the error message. */
  violation: string | undefined;
  #count = 0;
  #depth = 0;
  #styles = 0;
  /** Comments and CDATA sections divide the text of a style element into several parts. */
  #styleText = '';
  readonly #expansion = new SvgExpansion();

  constructor(text: string) {
    const parser = new SaxesParser({ xmlns: true });
    parser.on('error', ({ message }) => this.#reject(`it is not well-formed XML (${message})`));
    parser.on('xmldecl', ({ encoding }) => {
      if (encoding && !/^utf-?8$/i.test(encoding)) this.#reject(`its encoding is ${encoding}; only UTF-8 is accepted`);
    });
    parser.on('doctype', (type) => {
      if (type.includes('[')) this.#reject('its DOCTYPE declares entities');
    });
    parser.on('processinginstruction', ({ target }) =>
      this.#reject(`it contains the processing instruction <?${target}?>`),
    );
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', (tag) => this.#close(tag));
    parser.on('text', (content) => this.#text(content));
    parser.on('cdata', (content) => this.#text(content));
    parser.write(text).close();
    const expansion = this.violation === undefined ? this.#expansion.violation() : undefined;
    if (expansion !== undefined) this.#reject(expansion);
  }

  #open({ uri, local, attributes }: SaxesTagNS): void {
    this.#count += 1;
    this.#depth += 1;
    if (this.#count === 1) this.isSvg = uri === svgNamespace && local === 'svg';
    if (this.#count > maxElements) this.#reject(`it has more than ${maxElements} elements`);
    if (this.#depth > maxDepth) this.#reject(`its elements are nested deeper than ${maxDepth} levels`);
    // Other namespaces are editor metadata: they are neither rendered nor executed.
    const isAllowed = uri === svgNamespace ? allowedElements.has(local) : uri !== '' && uri !== xhtmlNamespace;
    if (!isAllowed) this.#reject(`it contains the element <${local}>`);
    if (local === 'style') this.#styles += 1;
    for (const attribute of Object.values(attributes)) this.#attribute(local, attribute);
    this.#expansion.open(Object.values(attributes));
  }

  #close({ local }: SaxesTagNS): void {
    this.#depth -= 1;
    this.#expansion.close();
    if (local !== 'style') return;
    this.#styles -= 1;
    if (this.#styles > 0) return;
    this.#style(this.#styleText, '<style>');
    this.#styleText = '';
  }

  #attribute(element: string, { name, local, value }: SaxesAttributeNS): void {
    const where = `${name} of <${element}>`;
    if (/^on/i.test(local)) this.#reject(`<${element}> has the event handler ${name}`);
    if (name === 'xml:base') this.#reject('it contains xml:base');
    if (local === 'href' && !isInternal(value)) this.#reject(`${where} refers to ${shortened(value)}`);
    if (/(java|vb)script:/i.test(value.replace(/[\s\p{Cc}]/gu, ''))) this.#reject(`${where} contains a script`);
    if (cssAttributes.test(local)) this.#style(value, where);
  }

  #text(content: string): void {
    if (this.#styles > 0) this.#styleText += content;
  }

  /** CSS loads resources by `url()`, `image-set()` and `@import`, each of which can be hidden by escapes. */
  #style(text: string, where: string): void {
    if (/@import|image-set|expression\s*\(|-moz-binding|behavior\s*:|\\/i.test(text)) {
      this.#reject(`${where} contains CSS that can load or run other content`);
    }
    for (const [, target = ''] of text.matchAll(/url\(\s*['"]?([^'")]*)/gi)) {
      if (!isInternal(target)) this.#reject(`${where} refers to ${shortened(target)}`);
    }
  }

  #reject(violation: string): void {
    this.violation ??= violation;
  }
}

/** A fragment of the same file or an embedded raster image. */
const isInternal = (target: string) => /^\s*(#|$|data:image\/(png|jpe?g|gif|webp)[;,])/i.test(target);

const shortened = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** Limit of rendered elements after expanding references: 2 kB of nested `<use>` can expand to billions. */
const maxRendered = 100_000;
const maxReferenceDepth = 200;

interface RenderedElement {
  id: string | undefined;
  children: RenderedElement[];
  references: string[];
  /** Rendered elements, including referenced ones. */
  total?: number;
}

/** Counts the elements that an SVG renders. Elements must be passed in document order. */
class SvgExpansion {
  readonly #root: RenderedElement = { id: undefined, children: [], references: [] };
  readonly #open: RenderedElement[] = [this.#root];
  readonly #byId = new Map<string, RenderedElement>();

  open(attributes: Iterable<{ local: string; value: string }>): void {
    const element: RenderedElement = { id: undefined, children: [], references: [] };
    for (const { local, value } of attributes) {
      if (local === 'id') element.id = value;
      else if (local === 'href' && value.trim().startsWith('#')) element.references.push(value.trim().slice(1));
      else element.references.push(...targetsIn(value));
    }
    if (element.id !== undefined && !this.#byId.has(element.id)) this.#byId.set(element.id, element);
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop();
  }

  violation(): string | undefined {
    const total = this.#totalOf(this.#root, 0);
    if (total === undefined) return `its references are chained more than ${maxReferenceDepth} times`;
    return total > maxRendered
      ? `it renders more than ${maxRendered} elements because of nested references`
      : undefined;
  }

  /** Undefined if references are nested too deeply. A self-reference renders nothing. */
  #totalOf(element: RenderedElement, depth: number): number | undefined {
    if (element.total !== undefined) return element.total;
    if (depth > maxReferenceDepth) return undefined;
    element.total = 0;
    let total = 1;
    for (const child of element.children) {
      const inner = this.#totalOf(child, depth);
      if (inner === undefined) return undefined;
      total += inner;
    }
    for (const reference of element.references) {
      const target = this.#byId.get(reference);
      const inner = target ? this.#totalOf(target, depth + 1) : 0;
      if (inner === undefined) return undefined;
      total += inner;
    }
    element.total = total;
    return total;
  }
}

const targetsIn = (value: string) =>
  [...value.matchAll(/url\(\s*['"]?#([^'")\s]+)/gi)].map(([, target = '']) => target);
