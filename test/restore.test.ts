import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { guardIssuedIds, saveIdCheckpoint } from '../src/database/cell.ts';
import { Database } from '../src/database/connection.ts';
import { startEmbeddedServer } from '../src/database/embedded-server.ts';
import { eventTypes } from '../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../src/events/outbox/record-event.ts';
import { openPlatform } from '../src/service/open-platform.ts';
import { asSuperuser, databaseOn } from './support/database.ts';

const type = 'LOCATION_CREATED';
const fields = eventTypes[type].example;
const silent = pino({ level: 'silent' });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-restore-'));
  await chmod(folder, 0o755);
  // Tests copy this installation, because creating one is slow.
  const platform = await openPlatform(readConfig({ WAYPOST_DATA_DIR: join(folder, 'first') }), silent);
  await platform.close();
});
afterAll(() => rm(folder, { recursive: true }));

function copyOf(original: string, name: string): string {
  execFileSync('cp', ['-a', original, join(folder, name)]);
  return join(folder, name);
}

const newInstallation = (name: string) => copyOf(join(folder, 'first'), name);

/** Opens the platform like a start. Closed at the end of the test at the latest. */
async function open(dataDir: string) {
  const platform = await openPlatform(readConfig({ WAYPOST_DATA_DIR: dataDir }), silent);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= platform.close();
    return closed;
  };
  onTestFinished(close);
  return { database: platform.database, close };
}

async function record(database: Database, count: number): Promise<number[]> {
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into sales_partners (identifier, name, api_version, lineage, public_key)
     values ('restored', 'Restored', '20260713', '{}', 'key')
     on conflict (identifier) do update set name = excluded.name returning id`,
  );
  const partner = { id: rows[0]?.id as number, identifier: 'restored' };
  const ids: number[] = [];
  for (let recorded = 0; recorded < count; recorded += 1) {
    ids.push(await database.transaction((transaction) => recordEvent(transaction, { partner, type, fields })));
  }
  return ids;
}

test('does not reuse event ids after the data folder is restored', async () => {
  const original = newInstallation('original');
  const before = await open(original);
  const kept = await record(before.database, 3);
  await before.close();
  const backup = copyOf(original, 'backup');

  const meanwhile = await open(original);
  const lost = await record(meanwhile.database, 100);
  await meanwhile.close();

  const restored = await open(backup);
  const next = await record(restored.database, 3);
  expect(Math.min(...lost)).toBeGreaterThan(Math.max(...kept));
  expect(Math.min(...next)).toBeGreaterThan(Math.max(...lost));
});

test('does not reuse ids after the database is restored under another name', async () => {
  const dataDir = newInstallation('dumped');
  const { database } = await open(dataDir);
  await record(database, 3);
  const webhooks =
    'insert into webhooks (partner_id, type, push_url, secret) select id, $1, $2, $3 from sales_partners';
  const addWebhook = async (sql: Database, url: string): Promise<number> =>
    (await sql.pool.query(`${webhooks} returning id`, [type, url, Buffer.alloc(1)])).rows[0].id;
  await addWebhook(database, 'https://one.example');
  await copyDatabase(await asSuperuser(database.url, dataDir), 'restored');
  const lost = { events: await record(database, 100), webhook: await addWebhook(database, 'https://two.example') };

  const restored = connect(databaseOn(database.url, 'restored'));
  const log = collectedLog();
  await guardIssuedIds(restored, log.logger);
  expect(Math.min(...(await record(restored, 3)))).toBeGreaterThan(Math.max(...lost.events));
  expect(await addWebhook(restored, 'https://three.example')).toBeGreaterThan(lost.webhook);
  expect(log.events()).toContain('database.restored');
});

test('skips ids on the next connection after the database changed its timeline', async () => {
  const dataDir = newInstallation('recovered');
  const server = await startEmbeddedServer({ dataDir, log: silent, settings: { wal_level: 'replica' } });
  onTestFinished(() => server.stop());
  const running = connect(server.url);
  const log = collectedLog();
  await guardIssuedIds(running, log.logger);
  const [last = 0] = await record(running, 1);
  await server.stop();
  // Simulates a point-in-time recovery or a promotion.
  const signal = join(dataDir, 'postgres/cluster/recovery.signal');
  await writeFile(signal, '');
  await ownedAs(join(dataDir, 'postgres/cluster'), signal);
  const recovered = await startEmbeddedServer({
    dataDir,
    log: silent,
    settings: { wal_level: 'replica', restore_command: 'false' },
  });
  onTestFinished(() => recovered.stop());
  expect(recovered.url).toBe(server.url);
  // The server refuses connections until the recovery ends.
  const next = () =>
    record(running, 1)
      .then(([id]) => id)
      .catch(({ code }) => code);
  await expect.poll(next).not.toBe('57P03');
  expect(await next()).toBeGreaterThan(last + 1_000_000);
  expect(log.events()).toEqual(['database.restored']);
});

test('without a restore, new connections skip no ids, and a start after a checkpoint skips few', async () => {
  const { database } = await open(newInstallation('ordinary'));
  const [first = 0] = await record(database, 1);
  const other = connect(database.url);
  await saveIdCheckpoint(database.pool);
  await guardIssuedIds(other, silent);
  const [second = 0] = await record(other, 1);
  expect(second).toBeGreaterThan(first);
  const connections = await Promise.all([other.pool.connect(), other.pool.connect(), other.pool.connect()]);
  for (const client of connections) client.release();
  expect(await record(other, 1)).toEqual([second + 1]);
  expect(await record(database, 1)).toEqual([second + 2]);
});

test('works with a role without special rights', async () => {
  const dataDir = newInstallation('plain');
  const { database } = await open(dataDir);
  const superuser = connect(await asSuperuser(database.url, dataDir));
  await superuser.pool.query(`create role plain login password 'plain'; grant all on all tables in schema public to plain;
    grant all on all sequences in schema public to plain`);
  const url = new URL(database.url);
  url.username = 'plain';
  url.password = 'plain';
  const plain = connect(url.href);
  await guardIssuedIds(plain, silent);
  expect((await plain.pool.query("select nextval('event_id') as id")).rows[0].id).toBeGreaterThan(1);
});

function connect(url: string): Database {
  const database = new Database(url, { connections: 3, name: 'waypost restored' });
  onTestFinished(() => database.close());
  return database;
}

/** Copies a running database, like a dump and its restore. */
async function copyDatabase(url: string, name: string): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseOn(url, 'postgres') });
  await admin.connect();
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'waypost'");
  await admin.query(`create database ${name} template waypost owner waypost_service`).finally(() => admin.end());
}

/** The server may run as another user than the test. */
async function ownedAs(model: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(model);
  execFileSync('chown', [`${uid}:${gid}`, path]);
}

function collectedLog() {
  const lines: { event?: string }[] = [];
  const logger = pino(
    {},
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    }),
  );
  return { logger, events: () => lines.map(({ event }) => event) };
}
