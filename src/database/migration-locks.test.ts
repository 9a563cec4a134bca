import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { type LockMode, lockModes, migrationNames, readMigration } from './schema-state.ts';

async function emptyDatabase(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await createEmptyDatabase() });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

const tables = `select oid from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`;
// The names of pg_locks, such as RowExclusiveLock.
const held = `
  select relation::regclass::text as table, mode from pg_locks
  where pid = pg_backend_pid() and locktype = 'relation' and relation = any ($1::oid[]) order by 1`;

const modeOf = (name: string): LockMode =>
  lockModes.find((mode) => `${mode.replaceAll(' ', '')}LOCK` === name.toUpperCase()) ?? lockModes[0];

/** The strongest lock of a migration on each table that existed before it. */
async function locksOf(client: pg.Client, name: string): Promise<Record<string, LockMode>> {
  const before = (await client.query<{ oid: number }>(tables)).rows.map(({ oid }) => oid);
  await client.query('begin');
  await client.query(await readMigration(name));
  const { rows } = await client.query<{ table: string; mode: string }>(held, [before]);
  await client.query('commit');
  const strongest: Record<string, LockMode> = {};
  for (const { table, mode } of rows) {
    const found = modeOf(mode);
    const known = strongest[table] ?? found;
    strongest[table] = lockModes.indexOf(found) > lockModes.indexOf(known) ? found : known;
  }
  return strongest;
}

// After a new migration: npx vitest run src/database --update
test('migration-locks.json has the locks of every migration', async () => {
  const client = await emptyDatabase();
  const locks: Record<string, Record<string, LockMode>> = {};
  for (const name of await migrationNames()) locks[name] = await locksOf(client, name);
  expect(locks['0040-webhook-filters.sql']).toMatchObject({ webhooks: 'ACCESS EXCLUSIVE', locations: 'ACCESS SHARE' });
  await expect(`${JSON.stringify(locks, null, 2)}\n`).toMatchFileSnapshot('migration-locks.json');
});
