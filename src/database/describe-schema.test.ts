import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { describeSchema } from '../../test/support/describe-schema.ts';
import { migrate } from './migrate.ts';

// After a new migration: npx vitest run src/database/describe-schema.test.ts --update
test('the migrations produce schema.sql', async () => {
  const database = await createTestDatabase();
  expect(await migrate(database)).toEqual([]);
  await expect(await describeSchema(database.pool)).toMatchFileSnapshot('schema.sql');
  await database.close();
});

test('ARCHITECTURE.md names every trigger with its reason', () => {
  const triggers = [...read('schema.sql').matchAll(/^create trigger (\w+)/gim)].map(([, name]) => name);
  const [, section = ''] = /^\*\*Triggers\*\*.*?\n(\|.*?)\n\n/ms.exec(read('../../ARCHITECTURE.md')) ?? [];
  const names = section.split('\n').flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)]);
  expect(names.map(([, name]) => name).sort()).toEqual(triggers.sort());
});

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
