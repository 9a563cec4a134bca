import Type, { type TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { Problem } from '../problems.ts';
import { compileValidator, deletable, readBody, readText, unknownFields, unstorableText } from './validation.ts';

const body = Type.Object({
  name: Type.String({ minLength: 2, maxLength: 5, description: 'What people call it' }),
  kind: Type.Enum(['SMALL', 'LARGE']),
  code: Type.Optional(Type.String({ pattern: '^[A-Z]+$', description: 'Capital letters only' })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
  exact: Type.Optional(Type.Literal('yes')),
  tags: Type.Optional(Type.Array(Type.Object({ id: Type.Integer() }), { minItems: 1, maxItems: 2 })),
  note: Type.Optional(deletable(Type.String())),
});

function check(given: unknown, schema: TSchema = body, method = 'POST') {
  const validate = compileValidator({ schema, method, url: '/', httpPart: 'body' });
  return validate(given) as { value?: unknown; error?: Problem };
}

const fine = { name: 'Anna', kind: 'SMALL' };

test('passes valid values and drops unknown fields', () => {
  expect(check({ ...fine, extra: 1 })).toEqual({ value: fine });
});

describe('every error names the field, the rule and the accepted values', () => {
  test.each([
    [{ kind: 'SMALL' }, 'MISSING_PARAMETER', 'name', 'name is required: what people call it.'],
    [{ name: 'Anna' }, 'MISSING_PARAMETER', 'kind', 'kind is required: one of SMALL, LARGE.'],
    [{ ...fine, tags: [{}] }, 'MISSING_PARAMETER', 'tags[0].id', 'tags[0].id is required.'],
    [{ ...fine, name: 7 }, 'WRONG_PARAMETER_TYPE', 'name', 'name must be a string, not 7.'],
    [{ ...fine, name: ['x'] }, 'WRONG_PARAMETER_TYPE', 'name', 'name must be a string, not an array.'],
    [{ ...fine, name: {} }, 'WRONG_PARAMETER_TYPE', 'name', 'name must be a string, not an object.'],
    [{ ...fine, count: 1.5 }, 'WRONG_PARAMETER_TYPE', 'count', 'count must be an integer, not 1.5.'],
    [{ ...fine, count: '7' }, 'WRONG_PARAMETER_TYPE', 'count', 'count must be an integer, not the text "7".'],
    [{ ...fine, note: 1 }, 'WRONG_PARAMETER_TYPE', 'note', 'note must be a string or null, not 1.'],
    [{ ...fine, kind: false }, 'WRONG_PARAMETER_TYPE', 'kind', 'kind must be one of SMALL, LARGE.'],
    [{ ...fine, kind: 'HUGE' }, 'INVALID_PARAMETER', 'kind', 'kind must be one of SMALL, LARGE.'],
    [{ ...fine, name: 'A' }, 'INVALID_PARAMETER', 'name', 'name must have at least 2 characters.'],
    [{ ...fine, name: 'Anna Maria' }, 'INVALID_PARAMETER', 'name', 'name may have at most 5 characters.'],
    [{ ...fine, code: 'a' }, 'INVALID_PARAMETER', 'code', 'code has an invalid format: capital letters only.'],
    [{ ...fine, count: 0 }, 'INVALID_PARAMETER', 'count', 'count must be 1 or more, not 0.'],
    [{ ...fine, count: 10 }, 'INVALID_PARAMETER', 'count', 'count must be 9 or less, not 10.'],
    [{ ...fine, exact: 'no' }, 'INVALID_PARAMETER', 'exact', 'exact must be yes.'],
    [{ ...fine, tags: [] }, 'INVALID_PARAMETER', 'tags', 'tags must have at least 1 entry.'],
    [
      { ...fine, tags: [{ id: 1 }, { id: 2 }, { id: 3 }] },
      'INVALID_PARAMETER',
      'tags',
      'tags may have at most 2 entries.',
    ],
  ])('%j', (given, status, field, message) => {
    const { error } = check(given);
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ status, message, errors: [{ field, message }] });
  });
});

test('reports all errors at once; a missing field determines the status', () => {
  const { error } = check({ name: 7, code: 'a' });
  expect(error?.status).toBe('MISSING_PARAMETER');
  expect(check({ name: 7, kind: 'HUGE', code: 'a' }).error?.errors.map(({ field }) => field)).toEqual([
    'name',
    'kind',
    'code',
  ]);
});

describe('values above their limits', () => {
  const limited = Type.Object({
    code: Type.String({ maxLength: 3, pattern: '^[A-Z]+$' }),
    list: Type.Array(Type.Object({ id: Type.Integer() }), { maxItems: 2 }),
    names: Type.Record(Type.String(), Type.String({ maxLength: 3, pattern: '^[A-Z]+$' })),
  });

  test('does not match a string above its limit against its pattern', () => {
    const { error } = check({ code: 'abcd', list: [], names: { de: 'abcd' } }, limited);
    expect(error?.errors).toEqual([
      { field: 'code', rule: 'maxLength', message: 'code may have at most 3 characters.' },
      { field: 'names.de', rule: 'maxLength', message: 'names.de may have at most 3 characters.' },
    ]);
  });

  test('characters of two code units count once', () => {
    const anyCharacter = Type.Object({ code: Type.String({ maxLength: 3 }) });
    expect(check({ code: '😀😀😀' }, anyCharacter).error).toBeUndefined();
    expect(check({ code: '😀😀😀😀' }, anyCharacter).error?.errors).toMatchObject([{ rule: 'maxLength' }]);
  });

  test('does not validate entries above the limit of a list', () => {
    const { error } = check({ code: 'A', list: Array(50_000).fill({ id: 'x' }), names: {} }, limited);
    expect(error?.errors).toHaveLength(4);
    expect(error?.errors).toContainEqual(expect.objectContaining({ field: 'list', rule: 'maxItems' }));
  });
});

test('rejects any number of unknown fields where they are not ignored', () => {
  const schema = Type.Object({ filter: Type.Object({ city: Type.String() }, { additionalProperties: false }) });
  const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, 'x']));
  const { error } = check({ filter: { city: 'Bonn', ...unknown } }, schema);
  expect(error).toMatchObject({ status: 'INVALID_PARAMETER' });
  expect(error?.errors[0]).toEqual({
    field: 'filter.field0',
    rule: 'known',
    message: 'filter.field0 is not a known field. Known fields: city.',
  });
});

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
