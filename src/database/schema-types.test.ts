import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { schemaTypes } from '../../test/support/schema-types.ts';

// After a new migration: npx vitest run src/database/schema-types.test.ts --update
test('schema.ts describes the tables of the migrations', async () => {
  const database = await createTestDatabase();
  await expect(await schemaTypes(database.pool)).toMatchFileSnapshot('schema.ts');
  await database.close();
});
