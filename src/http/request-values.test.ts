import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { readBody, readText, unknownFields, unstorableText } from './request-values.ts';

describe('query and path values', () => {
  const schema = Type.Object({
    max: Type.Integer({ default: 50 }),
    ratio: Type.Optional(Type.Number()),
    dryRun: Type.Optional(Type.Boolean()),
    type: Type.Optional(Type.Array(Type.String())),
    ids: Type.Optional(Type.Array(Type.Integer())),
    text: Type.Optional(Type.String()),
  });

  test.each([
    ['a number', { max: '7' }, { max: 7 }],
    ['a fraction', { max: '7', ratio: '0.5' }, { max: 7, ratio: 0.5 }],
    ['yes and no', { max: '7', dryRun: 'TRUE' }, { max: 7, dryRun: true }],
    ['a repeated key', { max: '7', type: ['A', 'B'] }, { max: 7, type: ['A', 'B'] }],
    ['commas', { max: '7', ids: '1, 2,3' }, { max: 7, ids: [1, 2, 3] }],
    ['both at once', { max: '7', ids: ['1,2', '3'] }, { max: 7, ids: [1, 2, 3] }],
    ['text that looks like a number', { max: '7', text: '12' }, { max: 7, text: '12' }],
    ['nothing, where there is a default', {}, { max: 50 }],
    ['an empty value, which counts as none', { max: '', text: '' }, { max: 50 }],
    ['an unknown parameter, which is dropped', { max: '7', other: 'x' }, { max: 7 }],
  ])('%s', (_what, given, expected) => {
    expect(readText(schema, given)).toEqual(expected);
  });

  test.each(['1e3', '0x10', '1.0', ' 1', '99999999999999999999', 'abc', '-'])('%s is not an integer', (text) => {
    expect(readText(schema, { max: text })).toEqual({ max: text });
  });
});

describe('bodies', () => {
  const schema = Type.Object({
    name: Type.String(),
    note: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  });

  test('null and "" mean absent in a POST', () => {
    expect(readBody(schema, { name: '', note: null }, 'POST')).toEqual({ value: { note: null }, undeletable: [] });
  });

  test('null and "" delete deletable fields in a change', () => {
    for (const gone of [null, '']) {
      expect(readBody(schema, { name: gone, note: gone }, 'PATCH')).toEqual({
        value: { note: null },
        undeletable: ['name'],
      });
    }
  });

  test('null and "" mean absent in entries of lists and maps, except required fields', () => {
    const entry = Type.Object({
      day: Type.Integer(),
      value: Type.String(),
      from: Type.Optional(Type.String()),
      note: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
    });
    const nested = Type.Object({ changes: Type.Object({ hours: Type.Array(entry) }) });
    const given = { day: null, value: '', from: null, note: '', other: null };
    expect(readBody(nested, { changes: { hours: [given, { from: '' }, 'text'] } }, 'PATCH').value).toEqual({
      changes: { hours: [{ day: null, value: '', note: null, other: null }, {}, 'text'] },
    });
    const map = Type.Object({ texts: Type.Record(Type.String(), entry) });
    expect(readBody(map, { texts: { de: { from: '' } } }, 'PATCH').value).toEqual({ texts: { de: {} } });
  });

  test('an absent body is an empty object', () => {
    expect(readBody(schema, undefined, 'POST').value).toEqual({});
  });

  test('names of Object.prototype are not fields', () => {
    expect(readBody(schema, JSON.parse('{"constructor":1,"toString":2}'), 'POST').value).toEqual({});
    expect(unknownFields(schema, JSON.parse('{"constructor":1}'))).toEqual(['constructor']);
  });
});

test('finds unknown fields at every depth', () => {
  const schema = Type.Object({ utms: Type.Array(Type.Object({ type: Type.String() })), free: Type.Unknown() });
  const given = { utms: [{ type: 'A' }, { type: 'B', tpye: 'C' }], free: { anything: 1 }, extra: 1 };
  expect(unknownFields(schema, given)).toEqual(['utms[1].tpye', 'extra']);
});

test('finds text that PostgreSQL cannot store at every depth', () => {
  expect(unstorableText({ a: ['fine', 'with \0 in it'] })).toBe('/a/1');
  expect(unstorableText({ a: { b: '\ud800' } })).toBe('/a/b');
  expect(unstorableText({ a: 'whole pairs are text 🙂', b: 1, c: null })).toBeUndefined();
});

test('reports at most 100 unknown fields', () => {
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`field${n}`, n]));
  expect(unknownFields(Type.Object({}), many)).toHaveLength(100);
});
