import Type, { type TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { Problem } from '../problems.ts';
import { compileValidator, deletable } from './validation.ts';

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
