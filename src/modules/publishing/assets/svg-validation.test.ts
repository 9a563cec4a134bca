import { describe, expect, test } from 'vitest';
import { stripSvgMetadata, validateSvg } from './svg-validation.ts';

const drawing = (inner: string, attributes = '', before = '') =>
  `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`;

describe('accepts', () => {
  test.each([
    ['shapes', drawing('<g fill="none"><path d="M0 0L1 1"/><circle r="3" style="fill: #f00"/></g>')],
    [
      'a declaration and a plain DOCTYPE',
      drawing('<rect/>', '', '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg>'),
    ],
    ['references within the file', drawing('<defs><path id="a"/></defs><use xlink:href="#a" fill="url(#b)"/>')],
    ['an embedded image', drawing('<image href="data:image/png;base64,iVBORw0KGgo="/>')],
    ['styles', drawing('<style>.a { fill: url(#g); stroke: red }</style><rect class="a"/>')],
    [
      'editor metadata',
      drawing(
        '<sodipodi:namedview pagecolor="#fff"/><metadata><rdf:RDF xmlns:rdf="urn:rdf"/></metadata><rect inkscape:label="x"/>',
        'xmlns:svg="http://www.w3.org/2000/svg" xmlns:inkscape="urn:i" xmlns:sodipodi="urn:s"',
      ),
    ],
    ['a self-reference', drawing('<g id="a"><use href="#a"/></g>')],
    ['text that looks like an event handler', drawing('<text>onload=alert(1) &lt;script&gt;</text>')],
  ])('%s', (_, text) => {
    expect(validateSvg(text)).toEqual({ isSvg: true });
  });
});

/** Each level renders the level below twice. */
const doubling = (levels: number, twice: (below: number) => string) =>
  drawing(
    `<defs><rect id="l0"/>${Array.from({ length: levels }, (_, below) => `<g id="l${below + 1}">${twice(below)}</g>`).join('')}</defs><use href="#l${levels}"/>`,
  );

describe('rejects', () => {
  test.each([
    [
      'nested references',
      doubling(30, (below) => `<use href="#l${below}"/><use xlink:href=" #l${below}"/>`),
      'more than 100000 elements',
    ],
    [
      'nested patterns',
      doubling(30, (below) => `<rect fill="url(#l${below})" stroke="url('#l${below}')"/>`),
      'more than 100000 elements',
    ],
    [
      'a long chain of references',
      drawing(Array.from({ length: 300 }, (_, at) => `<g id="l${at}"><use href="#l${at + 1}"/></g>`).join('')),
      'more than 200 times',
    ],
    ['a script', drawing('<script>alert(1)</script>'), '<script>'],
    ['a script in upper case', drawing('<SCRIPT>alert(1)</SCRIPT>'), '<SCRIPT>'],
    ['a script with a namespace prefix', drawing('<s:script/>', 'xmlns:s="http://www.w3.org/2000/svg"'), '<script>'],
    ['an XHTML script', drawing('<h:script/>', 'xmlns:h="http://www.w3.org/1999/xhtml"'), '<script>'],
    ['an event handler', drawing('<rect/>', 'onload="alert(1)"'), 'onload'],
    ['an event handler of a child', drawing('<rect OnClick="alert(1)"/>'), 'OnClick'],
    ['foreign content', drawing('<foreignObject><p/></foreignObject>'), '<foreignObject>'],
    ['an animation, which can change a link', drawing('<a><animate attributeName="href"/></a>'), '<animate>'],
    ['a link to a script', drawing('<a xlink:href="javascript:alert(1)"><text>x</text></a>'), 'xlink:href'],
    ['a script URL with a line break', drawing('<a href="java&#10;script:alert(1)"/>'), 'href'],
    ['an external link', drawing('<a href="https://evil.example/"/>'), 'evil.example'],
    ['an external image', drawing('<image href="http://tracker.example/x.png"/>'), 'tracker.example'],
    ['an HTML data URL', drawing('<image href="data:text/html,x"/>'), 'data:text/html'],
    ['an SVG data URL', drawing('<image href="data:image/svg+xml,x"/>'), 'data:image/svg'],
    ['a reference to another file', drawing('<use href="other.svg#a"/>'), 'other.svg'],
    ['a CSS import', drawing('<style>@import "//evil.example/x.css";</style>'), '<style>'],
    ['an escaped import', drawing('<style>@\\69mport "//evil.example";</style>'), '<style>'],
    ['an external font', drawing('<style><![CDATA[@font-face{src:url(//e.example/f)}]]></style>'), 'e.example'],
    ['an import divided by CDATA', drawing('<style>@im<![CDATA[port "//e.example/x.css";]]></style>'), '<style>'],
    ['a URL divided by a comment', drawing('<style>.a{fill:ur<!-- -->l(//e.example/f)}</style>'), 'e.example'],
    ['a style with an external URL', drawing('<rect style="fill: url(https://e.example/a)"/>'), 'e.example'],
    ['an external filter', drawing('<rect filter="url(//e.example/f.svg#a)"/>'), 'e.example'],
    ['entities', drawing('<text>&lol;</text>', '', '<!DOCTYPE svg [<!ENTITY lol "lol">]>'), 'entities'],
    ['an xml-stylesheet instruction', drawing('', '', '<?xml-stylesheet href="x.css"?>'), 'xml-stylesheet'],
    ['an encoding other than UTF-8', drawing('', '', '<?xml version="1.0" encoding="UTF-7"?>'), 'UTF-7'],
    ['malformed XML', drawing('<g>'), 'well-formed'],
    ['deep nesting', drawing('<g>'.repeat(300) + '</g>'.repeat(300)), 'deeper'],
    ['an xml:base attribute', drawing('<g xml:base="//e.example/"/>'), 'xml:base'],
  ])('%s', (_, text, expectedText) => {
    const { isSvg, violation } = validateSvg(text);
    expect(isSvg).toBe(true);
    expect(violation).toContain(expectedText);
  });
});

test.each(['<html><body/></html>', '<svg/>', 'plain words', '', '<?xml version="1.0"?><note/>'])(
  '%j is not an SVG',
  (text) => {
    expect(validateSvg(text).isSvg).toBe(false);
  },
);

test('removes metadata, comments, and elements and attributes of editors', () => {
  const name = 'Anna';
  const text = drawing(
    `<metadata><dc:creator>${name}</dc:creator><metadata/></metadata><metadata/><e:view path="/home/${name}"><path/></e:view>
     <!-- ${name} --><title>A &lt; B</title><g e:path='/home/${name}' id="a>b" xlink:href="#c" style=" e:x='y'">\r\n<rect/></g>`,
    'xmlns:e="urn:e" xmlns:dc="urn:dc"',
    `\ufeff<?xml version="1.0"?><!-- 😀 ${name} --><!DOCTYPE svg>`,
  );
  const expected = drawing(
    `\n     <title>A &lt; B</title><g id="a>b" xlink:href="#c" style=" e:x='y'">\r\n<rect/></g>`,
    'xmlns:e="urn:e" xmlns:dc="urn:dc"',
    '\ufeff<?xml version="1.0"?><!DOCTYPE svg>',
  );
  expect(stripSvgMetadata(text)).toBe(expected);
});

test('removing elements can join text, which is rejected afterwards', () => {
  const text = drawing('<style>.a{fill:ur<metadata>x</metadata>l(//e.example/f)}</style>');
  expect(validateSvg(text)).toEqual({ isSvg: true });
  expect(validateSvg(stripSvgMetadata(text)).violation).toContain('e.example');
});
