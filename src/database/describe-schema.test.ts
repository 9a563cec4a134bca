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
