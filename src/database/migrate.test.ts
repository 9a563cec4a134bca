import type { Logger } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../../test/support/database.ts';
import { version } from '../config.ts';
import type { Database } from './connection.ts';
import { DatabaseProblem } from './faults.ts';
import { migrate } from './migrate.ts';
import { isNextMinor, migrationNames, newestJobMigration, readSchemaState, requireMigrated } from './schema-state.ts';

let database: Database;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.close());

const tomorrow = '9999-of-tomorrow.sql';

const [major, minor] = version.split('.').map(Number) as [number, number];
const nextMinor = `${major}.${minor + 1}.3`;

const addNewer = (release: string | null) =>
  database.pool.query('insert into migrations (name, release) values ($1, $2)', [tomorrow, release]);

test('applies each migration once', async () => {
  expect(await migrate(database)).toEqual([]);
  expect(await readSchemaState(database.pool)).toEqual({ pending: [], newer: [], jobTablesOutdated: false });
  const { rows } = await database.pool.query('select max(id) as id from graphile_worker.migrations');
  expect(rows).toEqual([{ id: newestJobMigration }]);
});

test('concurrent migrations of an empty database wait for each other', async () => {
  const url = await createEmptyDatabase();
  const applied = await Promise.all([migrate({ url }), migrate({ url }), migrate({ url })]);
  expect(applied.flat().sort()).toEqual(await migrationNames());
});

test('records the release of each migration', async () => {
  const { rows } = await database.pool.query('select distinct release from migrations');
  expect(rows).toEqual([{ release: version }]);
});

test('adds the release to a database that was migrated before releases were recorded', async () => {
  await database.pool.query('alter table migrations drop column release');
  await database.pool.query("delete from migrations where name = '0047-cloud-events.sql'");
  await database.pool.query('alter table webhooks drop column cloud_events');
  await database.pool.query('alter table request_settings drop column cloud_events');
  expect(await migrate(database)).toEqual(['0047-cloud-events.sql']);
  const { rows } = await database.pool.query(
    "select name, release from migrations where name between '0045' and '0048' order by name desc",
  );
  expect(rows).toEqual([
    { name: '0047-cloud-events.sql', release: version },
    { name: '0045-client-credentials.sql', release: null },
  ]);
});

test.each([
  ['0.1.0', '0.1.9', true],
  ['0.1.0', '0.2.0', true],
  ['1.4.2', '1.5.0-beta.1', true],
  ['0.1.0', '0.3.0', false],
  ['0.2.0', '0.1.0', false],
  ['1.4.2', '2.0.0', false],
  ['1.4.2', 'unknown', false],
])('version %s can use the schema of %s: %s', (own, other, accepted) => {
  expect(isNextMinor(own, other)).toBe(accepted);
});

test('accepts the schema of the next minor version, and logs it', async () => {
  await addNewer(nextMinor);
  expect(await migrate(database)).toEqual([]);
  const warn = vi.fn();
  await requireMigrated(database.pool, { warn } as unknown as Logger);
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    { event: 'database.newer-schema', newer: [tomorrow] },
    expect.any(String),
  );
});

test.each([[null], [`${major}.${minor + 2}.0`], [`${major + 1}.0.0`]])('refuses the schema of %s', async (release) => {
  await addNewer(release);
  await expect(migrate(database)).rejects.toThrow(/migrated by a newer version of Waypost \(9999-of-tomorrow\.sql/);
});

test('does not add migrations to a newer schema', async () => {
  await addNewer(nextMinor);
  await database.pool.query("delete from migrations where name = '0047-cloud-events.sql'");
  await expect(migrate(database)).rejects.toThrow(/0047-cloud-events\.sql of version .* is missing/);
});

test('refuses a database of an unreleased version', async () => {
  await database.pool.query("update migrations set hash = 'another' where name = '0002-users.sql'");
  await expect(migrate(database)).rejects.toThrow(/different schema \(0002-users\.sql\)\. Set WAYPOST_DATA_DIR/);
});

test('reports what to do before a migration that refuses the data', async () => {
  await database.pool.query("delete from migrations where name = '0064-brand-page-owners.sql'");
  await database.pool.query(`
    insert into sales_partners (id, identifier, name, api_version, lineage, public_key) overriding system value
      values (7, 'p', 'p', '1', '{7}', 'k');
    insert into businesses (id, partner_id, name) overriding system value values (8, 7, 'b');
    insert into directory_business_pages (partner_id, business_id, directory_type, external_id, name)
      values (7, 8, 'FACEBOOK', 'x', 'x');
    insert into partner_moves (partner_id, partner_ids, target_cell) values (7, '{7}', 1)`);
  const migrated = migrate(database);
  await expect(migrated).rejects.toBeInstanceOf(DatabaseProblem);
  await expect(migrated).rejects.toThrow(
    /^0064-brand-page-owners\.sql was not applied\. A partner .* is being moved to another cell\. Finish or undo the move/,
  );
});

test('does not block other processes while it waits for a lock', { timeout: 60_000 }, async () => {
  const { rows } = await database.pool.query("select 'events_' || to_char(current_date + 7, 'YYYYMMDD') as missing");
  await database.pool.query(`drop table ${rows[0].missing}`);
  const reader = await database.pool.connect();
  await reader.query('begin; lock table events in access share mode');
  const migrated = migrate(database);
  const waiting = `select from pg_locks where relation = 'events'::regclass and not granted`;
  const soon = { timeout: 20_000, interval: 20 };
  await expect.poll(() => database.pool.query(waiting), soon).toMatchObject({ rowCount: 1 });
  // The migration releases its place in the lock queue.
  await database.pool.query('select from events limit 1');
  await reader.query('commit');
  reader.release();
  expect(await migrated).toEqual([]);
  expect((await database.pool.query(`select to_regclass('${rows[0].missing}') as name`)).rows).toEqual([
    { name: rows[0].missing },
  ]);
});

test('holds no table while it waits for another one, so that requests do not deadlock with it', {
  timeout: 60_000,
}, async () => {
  await database.pool.query("delete from migrations where name = '0047-cloud-events.sql'");
  await database.pool.query('alter table webhooks drop column cloud_events');
  await database.pool.query('alter table request_settings drop column cloud_events');
  const client = await database.pool.connect();
  await client.query('begin; lock table request_settings in row exclusive mode');
  const migrated = migrate(database);
  const waiting = `select from pg_locks where relation = 'request_settings'::regclass and not granted`;
  await expect.poll(() => database.pool.query(waiting), { timeout: 20_000 }).toMatchObject({ rowCount: 1 });
  // The first table of the migration.
  await client.query('lock table webhooks in row exclusive mode nowait');
  await client.query('commit');
  client.release();
  expect(await migrated).toEqual(['0047-cloud-events.sql']);
});
