import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../../test/support/any-code-point.ts';
import { canonicalJson, canonicalJsonAround } from './canonical-json.ts';

// Keys that objects treat in a way of their own, next to any other text.
const key = fc.oneof(
  fc.string({ unit: anyCodePoint }),
  fc.nat().map(String),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'toJSON',
    'length',
    '',
    '-1',
    '01',
    'é',
    'e\u0301',
    '\u20ac',
    '😀',
  ),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -0, 1e21, 1e-7, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: anyCodePoint }),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 6 }),
  ),
}));
const object = fc.dictionary(key, json, { maxKeys: 8 });

describe('canonical JSON', () => {
  test('matches another implementation of RFC 8785', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 2000 },
    );
  });

  test('parses to the same value and is stable after parsing', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('sorts keys by UTF-16 code unit at every depth, including numeric keys', () => {
    const value = { b: [{ z: 1, 10: 2, 9: 3, a: { '\ue000': 1, '😀': 2 } }], B: 0, a: 0 };
    expect(canonicalJson(value)).toBe('{"B":0,"a":0,"b":[{"10":2,"9":3,"a":{"😀":2,"\ue000":1},"z":1}]}');
  });

  test('keeps a member named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
  });

  test('escapes lone surrogates', () => {
    expect(canonicalJson({ comment: 'a\ud83d' })).toBe('{"comment":"a\\ud83d"}');
  });

  test('omits values that JSON.stringify omits', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, () => 1], c: new Date(0) })).toBe(
      '{"a":[null,null],"c":"1970-01-01T00:00:00.000Z"}',
    );
  });
});

describe('canonical JSON around a number', () => {
  test('gives the canonical text after inserting the number', () => {
    fc.assert(
      fc.property(object, key, fc.nat(), (value, gap, id) => {
        const { before, after } = canonicalJsonAround(value, gap);
        expect(before + id + after).toBe(canonicalize({ ...value, [gap]: id }));
      }),
      { numRuns: 1000 },
    );
  });

  test('works if the number is the only, first or last member', () => {
    expect(canonicalJsonAround({}, 'id')).toEqual({ before: '{"id":', after: '}' });
    expect(canonicalJsonAround({ location: 1 }, 'id')).toEqual({ before: '{"id":', after: ',"location":1}' });
    expect(canonicalJsonAround({ comment: '' }, 'id')).toEqual({ before: '{"comment":"","id":', after: '}' });
  });
});
