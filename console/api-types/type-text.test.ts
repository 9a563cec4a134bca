import { expect, test } from 'vitest';
import { newestVersion } from '../../src/api/versions/timeline.ts';
import type { Schema } from '../../src/json-schema.ts';
import { apiDocument } from './api-document.ts';
import { apiTypesText, typeText } from './type-text.ts';

test('generates types from schemas', () => {
  const cases: [Schema, string][] = [
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, '(string | null)'],
    [{ enum: ['A', 'B'] }, '("A" | "B")'],
    [{ const: 1 }, '1'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, '(string | null)'],
    [{ type: 'array', items: { enum: ['A', 'B'] } }, '(("A" | "B"))[]'],
    [{ $ref: '#/components/schemas/User' }, 'User'],
    [{ type: 'object', patternProperties: { '.*': { type: 'number' } } }, 'Record<string, number>'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{}, 'unknown'],
    [
      { allOf: [{ $ref: '#/components/schemas/UserFields' }], required: ['email'] },
      'WithRequired<(UserFields), "email">',
    ],
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string' }, b: { type: 'boolean', description: 'Why' } },
      },
      '{ "a": string; /** Why */ "b"?: boolean; }',
    ],
  ];
  for (const [schema, text] of cases) expect(typeText(schema)).toBe(text);
});

test('makes properties with a default optional in requests and required in responses', () => {
  const schema = { type: 'object', required: ['max'], properties: { max: { type: 'integer', default: 50 } } };
  expect(typeText(schema, { isSent: true })).toBe('{ "max"?: number; }');
  expect(typeText(schema)).toBe('{ "max": number; }');
});

test('generates a type for every operation without a database', async () => {
  const document = await apiDocument();
  const text = apiTypesText(document);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of Object.keys(methods))
      expect(text).toContain(
        `'${method.toUpperCase()} ${path.replace('/datapoints/', '/data-points/').replace('/salespartners/', '/sales-partners/')}': {`,
      );
  }
  expect(text).toContain('export type User = {');
});

test('the console uses the newest API version', async () => {
  const text = `// Generated from src/api/versions/timeline.ts. To update:
// setup/with-runtime npx vitest run console/api-types --update

/** The API version that the console uses, independent of the partner's pinned version. */
export const apiVersion = '${newestVersion}';
`;
  await expect(text).toMatchFileSnapshot('../src/api/api-version.ts');
});
