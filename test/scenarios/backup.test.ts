import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { Database } from '../../src/database/connection.ts';
import { eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../../src/events/outbox/record-event.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { createPartner } from '../../src/modules/accounts/partners/partner-store.ts';
import { modules } from '../../src/modules/modules.ts';
import { ArchiveReader, tableEntry } from '../../src/service/backup/archive.ts';
import { createBackup } from '../../src/service/backup/create-backup.ts';
import { openPlatform } from '../../src/service/open-platform.ts';
import { type FileStore, newFileName } from '../../src/storage/file-store.ts';
import { DiskStore, openFileStore } from '../../src/storage/open-file-store.ts';
import { startS3 } from '../support/assets.ts';
import { runCli, startCli, temporaryFolder } from '../support/cli.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts';
import { startReceiver } from '../support/delivery.ts';
import { Fleet } from '../support/fleet.ts';

const type = 'LOCATION_CREATED';
const soon = { timeout: 60_000, interval: 50 };

async function manifestOf(path: string) {
  const archive = await ArchiveReader.open(path);
  archive.close();
  return archive.manifest;
}

/** A checksum of each table. PostgreSQL may store restored rows in another order, so the order of rows does not matter. */
async function rowsOf(path: string): Promise<Record<string, string>> {
  const archive = await ArchiveReader.open(path);
  const tables: Record<string, string> = {};
  for (const [name, checksum] of Object.entries(archive.manifest.tables)) {
    const rows = await archive.read(tableEntry(name), checksum, async (content) => (await text(content)).split('\n'));
    tables[name] = createHash('sha256').update(rows.sort().join('\n')).digest('hex');
  }
  archive.close();
  return tables;
}

/** Stores a file with the row of an asset that names it. */
async function addFile(
  database: Database,
  store: FileStore,
  partnerId: number,
  content: string | Buffer,
): Promise<string> {
  const name = newFileName('assets');
  await store.put(name, Readable.from([Buffer.from(content)]));
  await database.pool.query(
    `insert into assets (partner_id, type, name, file_name, all_managed_resources, created_by)
     values ($1, 'IMAGE', 'menu', $2, true, 'test')`,
    [partnerId, name],
  );
  return name;
}

const contentOf = async (dataDir: string, name: string) => {
  const file = await new DiskStore(dataDir).read(name);
  return file && text(file.stream);
};

/** A bucket on an S3 server of its own. */
async function openBucket() {
  const s3 = await startS3();
  const store = openFileStore(readConfig({ ...s3.env, WAYPOST_DATA_DIR: temporaryFolder() }));
  onTestFinished(async () => {
    await store.close();
    await s3.close();
  });
  const read = async (name: string) => {
    const file = await store.read(name);
    return file && buffer(file.stream);
  };
  return { ...s3, store, read };
}

test('a backup fails if its session ends before the files are copied', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const folder = temporaryFolder();
  const store = new DiskStore(folder);
  const sealer = new Sealer(Buffer.alloc(32));
  const { partner } = await createPartner(database.pool, sealer, { identifier: 'one', name: 'One' });
  await addFile(database, store, partner.id, 'a menu');
  const interrupting: FileStore = Object.create(store, {
    read: {
      value: async (name: string) => {
        await database.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'waypost backup' and datname = current_database()`,
        );
        return store.read(name);
      },
    },
  });
  const path = join(folder, 'backup.zip');
  await expect(createBackup(readConfig({}), database.url, interrupting, path)).rejects.toThrow();
  await expect(stat(path)).rejects.toThrow('ENOENT');
});

test('restores a database that was backed up while events were recorded; deliveries go on', {
  timeout: 240_000,
}, async () => {
  const folder = temporaryFolder();
  const first = join(folder, 'first.zip');
  const fleet = await Fleet.create();
  const { WAYPOST_MASTER_KEY: masterKey = '' } = fleet.environment;
  const receiver = await startReceiver(() => 503);
  onTestFinished(() => receiver.close());
  await fleet.webhook(receiver.url(), type);
  const source = { DATABASE_URL: fleet.database.url, WAYPOST_DATA_DIR: join(folder, 'source') };
  // Like the first start: stores the fingerprint of the master key.
  const opened = await openPlatform(
    readConfig({ ...source, WAYPOST_MASTER_KEY: masterKey }),
    pino({ level: 'silent' }),
  );
  await opened.close();
  const file = await addFile(fleet.database, new DiskStore(source.WAYPOST_DATA_DIR), fleet.partner.id, 'a menu');
  await fleet.database.pool.query("select graphile_worker.add_job('upkeep')");
  const worker = fleet.start('work', source);
  const before = await fleet.record(type, 2000);
  await expect.poll(() => receiver.requests.length, soon).toBeGreaterThan(0);

  const issued = [...before];
  let isWriting = true;
  const writing = (async () => {
    while (isWriting) issued.push(...(await fleet.record(type, 20)));
  })();
  const backup = await startCli(['backup', first], { ...source, WAYPOST_MASTER_KEY: masterKey }).ended;
  isWriting = false;
  await writing;
  // The menu, and the file by which nodes recognize their common store.
  expect(backup).toMatchObject({ code: 0, stdout: expect.stringContaining('2 files.') });
  expect(backup.stderr).toContain('is not in the backup. Store it separately.');
  expect(issued.length).toBeGreaterThan(before.length);
  expect((await stat(first)).mode & 0o777).toBe(0o600);
  expect(readFileSync(first).includes(masterKey)).toBe(false);
  await worker.interrupt();
  const delivered = new Set(
    (await fleet.rows<{ id: number }>("select event_id as id from attempts where verdict = 'DELIVERED'")).map(
      ({ id }) => id,
    ),
  );
  expect(delivered.size).toBe(0);
  await rm(source.WAYPOST_DATA_DIR, { recursive: true });

  const target = {
    DATABASE_URL: await createEmptyDatabase(),
    WAYPOST_DATA_DIR: join(folder, 'target'),
    WAYPOST_MASTER_KEY: masterKey,
  };
  const early = await startCli(['restore', first], target).ended;
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('Run "waypost migrate"') });
  await runCli(['migrate'], target);
  expect(await startCli(['restore', first], target).ended).toMatchObject({ code: 0 });

  // A backup of the restored database has the same rows.
  const second = join(folder, 'second.zip');
  expect(await runCli(['backup', second], target)).toMatchObject({ code: 0 });
  const [one, other] = [await manifestOf(first), await manifestOf(second)];
  expect(await rowsOf(second)).toEqual(await rowsOf(first));
  expect(other.files).toEqual(one.files);
  expect(other.sequences).toEqual(one.sequences);
  expect(one.tables['public.events']?.rows).toBeGreaterThanOrEqual(before.length);
  expect(one.tables['graphile_worker._private_tasks']?.rows).toBeGreaterThan(0);
  expect(await contentOf(target.WAYPOST_DATA_DIR, file)).toBe('a menu');
  const again = await startCli(['restore', first], target).ended;
  expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The database is not empty: /) });

  const restored = new Database(target.DATABASE_URL, { connections: 2, name: 'waypost tests' });
  onTestFinished(() => restored.close());
  const { rows } = await restored.pool.query<{ id: number }>('select id from events where type = $1', [type]);
  const snapshot = new Set(rows.map(({ id }) => id));
  expect(before.filter((id) => !snapshot.has(id))).toEqual([]);
  receiver.respond = () => 200;
  receiver.requests.length = 0;
  fleet.start('work', target);
  const waiting = async () => (await restored.pool.query('select from delivery_queue')).rows.length;
  // Attempts before the backup were refused, so every event of the snapshot is due again within the retry schedule.
  await restored.pool.query('update delivery_queue set due_at = now()');
  await expect.poll(waiting, { ...soon, timeout: 120_000 }).toBe(0);
  expect(new Set(receiver.ids())).toEqual(snapshot);
  const next = await restored.transaction((transaction) =>
    recordEvent(transaction, { partner: fleet.partner, type, fields: eventTypes[type].example }),
  );
  expect(next).toBeGreaterThan(Math.max(...issued));
});

test('backs up and restores an embedded installation', { timeout: 240_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-backup-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755);
  const original = join(folder, 'original');
  const silent = pino({ level: 'silent' });
  const platform = await openPlatform(readConfig({ WAYPOST_DATA_DIR: original }), silent);
  const { partner, privateKey } = await createPartner(platform.database.pool, platform.sealer, {
    identifier: 'acme',
    name: 'Acme\tInc.\n\\N',
  });
  const file = await addFile(platform.database, new DiskStore(original), partner.id, 'a picture');
  await platform.close();
  const [archive, keyFile] = [join(folder, 'backup.zip'), join(folder, 'key')];
  const env = { WAYPOST_DATA_DIR: original };
  expect(await runCli(['backup', archive, '--key-file', keyFile], env)).toMatchObject({ code: 0, stderr: '' });
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  expect(await readFile(keyFile, 'utf8')).toBe(await readFile(join(original, 'master.key'), 'utf8'));
  const unused = join(folder, 'unused-key');
  await expect(runCli(['backup', archive, '--key-file', unused], env)).rejects.toThrow(
    `${archive} exists. Choose another name`,
  );
  await expect(stat(unused)).rejects.toThrow('ENOENT');
  await rm(original, { recursive: true });

  const target = join(folder, 'target');
  await expect(runCli(['restore', archive], { WAYPOST_DATA_DIR: target })).rejects.toThrow(
    /encrypted with a master key \(fingerprint [0-9a-f]{16}\)\. Set WAYPOST_MASTER_KEY/,
  );
  const restored = { WAYPOST_DATA_DIR: target, WAYPOST_MASTER_KEY_FILE: keyFile };
  const damaged = join(folder, 'damaged.zip');
  const bytes = await readFile(archive);
  const at = bytes.indexOf('a picture');
  bytes[at] = 0x41;
  writeFileSync(damaged, bytes);
  await expect(runCli(['restore', damaged, '--check'])).rejects.toThrow(
    `The backup is damaged: the checksum of files/${file} is wrong`,
  );
  await expect(runCli(['restore', damaged], restored)).rejects.toThrow(
    `The backup is damaged: the checksum of files/${file} is wrong`,
  );
  expect(await contentOf(target, file)).toBeUndefined();
  writeFileSync(damaged, bytes.subarray(0, bytes.length - 100));
  await expect(runCli(['restore', damaged], restored)).rejects.toThrow('damaged.zip is not a complete backup');

  expect(await runCli(['restore', archive, '--check'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The backup is complete: \d+ tables with \d+ rows, 1 files/),
  });
  expect(await runCli(['restore', archive], restored)).toMatchObject({ code: 0 });
  const after = await openPlatform(readConfig(restored), silent);
  onTestFinished(() => after.close());
  const keys = await after.database.pool.query('select name, sealed from partner_keys join sales_partners on true');
  expect(keys.rows.map(({ name, sealed }) => [name, after.sealer.open(sealed)])).toEqual([
    ['Acme\tInc.\n\\N', privateKey],
  ]);
  expect(await contentOf(target, file)).toBe('a picture');
});

test('backs up the files of a bucket and restores them into another one, or into a folder', {
  timeout: 120_000,
}, async () => {
  const [bucket, other] = [await openBucket(), await openBucket()];
  const fleet = await Fleet.create(bucket.env);
  // Larger than a part of a stream.
  const contents = [Buffer.alloc(0), Buffer.from('a menu'), randomBytes(3_000_000)];
  const names: string[] = [];
  for (const content of contents) names.push(await addFile(fleet.database, bucket.store, fleet.partner.id, content));
  const lost = await addFile(fleet.database, bucket.store, fleet.partner.id, 'lost');
  await bucket.store.remove(lost);
  const archive = join(temporaryFolder(), 'backup.zip');
  expect(await runCli(['backup', archive], fleet.environment)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(' 3 files.'),
    stderr: expect.stringContaining(`The file ${lost} is missing in the store.`),
  });
  expect(Object.keys((await manifestOf(archive)).files).sort()).toEqual([...names].sort());

  const restore = async (settings: Record<string, string>) => {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const { WAYPOST_MASTER_KEY } = fleet.environment;
    const env = { DATABASE_URL: database.url, WAYPOST_MASTER_KEY, WAYPOST_DATA_DIR: temporaryFolder(), ...settings };
    expect(await runCli(['restore', archive], env)).toMatchObject({ code: 0 });
    const { rows } = await database.pool.query<{ name: string }>('select file_name as name from assets');
    expect(rows.map(({ name }) => name).sort()).toEqual([...names, lost].sort());
    return env;
  };
  // Without the original: the restore must not read from it.
  for (const name of names) await bucket.store.remove(name);
  const inBucket = await restore(other.env);
  expect(await Promise.all(names.map(other.read))).toEqual(contents);
  expect(await other.read(lost)).toBeUndefined();
  expect(await contentOf(inBucket.WAYPOST_DATA_DIR, names[1] ?? '')).toBeUndefined();
  const { WAYPOST_DATA_DIR: folder } = await restore({});
  expect(await contentOf(folder, names[1] ?? '')).toBe('a menu');
});

test('a bucket that refuses access fails a backup and a restore, and keeps its files', {
  timeout: 120_000,
}, async () => {
  const bucket = await openBucket();
  const fleet = await Fleet.create(bucket.env);
  const name = await addFile(fleet.database, bucket.store, fleet.partner.id, 'a menu');
  const folder = temporaryFolder();
  const archive = join(folder, 'backup.zip');
  const refused = { ...fleet.environment, WAYPOST_S3_SECRET: 'another' };
  await expect(runCli(['backup', archive], refused)).rejects.toThrow(`The S3 store failed to find ${name}: 403`);
  expect(readdirSync(folder)).toEqual([]);
  expect(await runCli(['backup', archive], fleet.environment)).toMatchObject({ code: 0 });

  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  await expect(runCli(['restore', archive], { ...refused, DATABASE_URL: database.url })).rejects.toThrow(
    `The S3 store failed to read ${name}: 403 SignatureDoesNotMatch. Check the settings`,
  );
  expect((await database.pool.query('select from assets')).rowCount).toBe(0);

  const bytes = await readFile(archive);
  bytes[bytes.indexOf('a menu')] = 0x41;
  writeFileSync(archive, bytes);
  const intoSameBucket = { ...fleet.environment, DATABASE_URL: database.url };
  expect(await runCli(['restore', archive], intoSameBucket)).toMatchObject({ code: 0 });
  expect(await bucket.read(name)).toEqual(Buffer.from('a menu'));
});

test('a backup during a rotation of the master key needs both keys', { timeout: 60_000 }, async () => {
  const fleet = await Fleet.create();
  const { WAYPOST_MASTER_KEY: first = '' } = fleet.environment;
  const second = randomBytes(32).toString('base64');
  const both = { ...fleet.environment, WAYPOST_MASTER_KEY: `${second},${first}` };
  for (const env of [fleet.environment, both]) await runCli(['partners', 'list'], env);
  const folder = temporaryFolder();
  const [archive, keyFile] = [join(folder, 'backup.zip'), join(folder, 'keys')];
  expect(await runCli(['backup', archive, '--key-file', keyFile], both)).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(keyFile, 'utf8')).toBe(`${second}\n${first}\n`);
  const { masterKey, formerMasterKeys } = await manifestOf(archive);
  expect(formerMasterKeys).toHaveLength(1);
  expect(formerMasterKeys).not.toContain(masterKey);
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const { url } = database;
  await expect(runCli(['restore', archive], { DATABASE_URL: url, WAYPOST_MASTER_KEY: second })).rejects.toThrow(
    `encrypted with another master key (fingerprint ${formerMasterKeys})`,
  );
  const restored = { DATABASE_URL: url, WAYPOST_MASTER_KEY_FILE: keyFile };
  expect(await runCli(['restore', archive], restored)).toMatchObject({ code: 0 });
  expect(await runCli(['keys', 'reseal'], restored)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1 values were encrypted again/),
  });
});

test('the columns of stored files are complete', async () => {
  const schema = await readFile(new URL('../../src/database/schema.sql', import.meta.url), 'utf8');
  const columns = [...schema.matchAll(/^ {2}(?:file|thumbnail)_name text/gm)];
  const listed = modules.flatMap(({ storedFiles = {} }) => Object.values(storedFiles).flat());
  expect(columns).toHaveLength(listed.length);
});

test('a restored cell keeps its range of ids', { timeout: 240_000 }, async () => {
  const settings = { WAYPOST_CELL: '3', WAYPOST_MASTER_KEY: randomBytes(32).toString('base64') };
  const [source, target] = [
    { ...settings, DATABASE_URL: await createEmptyDatabase() },
    { ...settings, DATABASE_URL: await createEmptyDatabase() },
  ];
  const create = async (env: NodeJS.ProcessEnv, identifier: string) => {
    const { code, stdout } = await runCli(['partners', 'create', '--identifier', identifier, '--name', 'A'], env);
    expect(code).toBe(0);
    return Number(/^id +(\d+)$/m.exec(stdout)?.[1]);
  };
  for (const env of [source, target]) expect(await runCli(['migrate'], env)).toMatchObject({ code: 0 });
  const first = await create(source, 'first');
  const archive = join(temporaryFolder(), 'cell.tar.gz');
  expect(await runCli(['backup', archive], source)).toMatchObject({ code: 0 });
  expect(await runCli(['restore', archive], target)).toMatchObject({ code: 0 });
  const second = await create(target, 'second');
  expect(Math.floor(first / 2 ** 45)).toBe(3);
  expect(second).toBeGreaterThan(first);
  expect(Math.floor(second / 2 ** 45)).toBe(3);
  expect(await runCli(['partners', 'list'], { ...target, WAYPOST_CELL: '0' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The database was created for cell 3, and WAYPOST_CELL is 0.'),
  });
});
