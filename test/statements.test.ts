import { globSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../src/database/connection.ts';
import { definedStatements } from '../src/database/statement.ts';
import { createTestDatabase } from './support/database.ts';
import { describeStatement } from './support/describe-statement.ts';

const root = join(import.meta.dirname, '..');
// Programs do something when they are imported.
const programs = ['src/main.ts', 'src/modules/publishing/assets/inspection-process.ts'];
const files = globSync('src/**/*.ts', { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts') && !programs.includes(file),
);

let database: Database;
let client: pg.Client;
beforeAll(async () => {
  for (const file of files) await import(join(root, file));
  database = await createTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.close();
});

test('every plain statement fits the schema and returns the declared columns', async () => {
  const declared: Record<string, unknown> = {};
  const returned: Record<string, unknown> = {};
  for (const { name, text, columns } of definedStatements.values()) {
    declared[name] = Object.entries(columns);
    returned[name] = await describeStatement(client, text).catch((error: Error) => error.message);
  }
  expect(returned).toEqual(declared);
});
