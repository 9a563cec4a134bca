import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { runCli, temporaryFolder } from '../../test/support/cli.ts';
import { createEmptyDatabase, createTestDatabase } from '../../test/support/database.ts';
import { Fleet } from '../../test/support/fleet.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { claimCell } from '../database/cell.ts';
import type { Finding } from '../service/doctor.ts';
import { openSealer } from '../service/master-keys/key-registry.ts';
import { reseal } from '../service/master-keys/reseal.ts';

/** The findings by check. */
async function examined(env: NodeJS.ProcessEnv) {
  const { code, stdout } = await runCli(['doctor', '--json'], env);
  const findings: Finding[] = JSON.parse(stdout);
  return {
    code,
    found: Object.fromEntries(findings.map(({ check, status, message }) => [check, `${status} ${message}`])),
  };
}

test('finds no failure in a healthy installation', { timeout: 60_000 }, async () => {
  const mail = await MailServer.start();
  const fleet = await Fleet.create({ WAYPOST_SMTP_URL: mail.url, WAYPOST_CONSOLE: 'off' });
  const masterKey = Buffer.from(fleet.environment.WAYPOST_MASTER_KEY ?? '', 'base64');
  await openSealer({ masterKeys: [masterKey], dataDir: temporaryFolder() }, fleet.database);
  const { code, found } = await examined(fleet.environment);
  expect(found).toMatchObject({
    runtime: expect.stringMatching(/^OK Waypost .* on Node\.js/),
    files: expect.stringMatching(/^OK Written, read and deleted/),
    mail: expect.stringMatching(/^OK /),
    database: 'OK Connected.',
    migrations: 'OK None pending.',
    cell: 'OK Cell 0, fixed by the first start.',
    'partner moves': 'OK None under way.',
    partitions: 'OK Present for the coming days.',
    clock: expect.stringMatching(/^OK /),
    'master key': 'OK Opens the keys of 1 partners.',
  });
  expect(code).toBe(0);
  expect(mail.mails).toEqual([]);
  const { stdout } = await runCli(['doctor'], fleet.environment);
  expect(stdout).toMatch(/^OK +migrations +None pending\.$/m);
});

test('reports every problem with what to do', { timeout: 60_000 }, async () => {
  const fleet = await Fleet.create();
  const folder = temporaryFolder();
  await openSealer({ masterKeys: [randomBytes(32)], dataDir: folder }, fleet.database);
  await fleet.database.pool.query(
    "insert into partner_moves (partner_id, target_cell, started_at) values (7, 1, now() - interval '5 hours')",
  );
  await fleet.database.pool.query("delete from migrations where name = '0047-cloud-events.sql'");
  const { rows } = await fleet.database.pool.query("select 'events_' || to_char(current_date, 'YYYYMMDD') as today");
  await fleet.database.pool.query(`drop table ${rows[0].today}`);
  const certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
    notBeforeDate: new Date('2020-01-01'),
    notAfterDate: new Date('2020-02-01'),
  });
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(cert, certificate.cert);
  writeFileSync(key, certificate.private);
  const { code, found } = await examined({
    ...fleet.environment,
    WAYPOST_TLS_CERT: cert,
    WAYPOST_TLS_KEY: key,
    WAYPOST_SMTP_URL: 'smtp://user:hidden@127.0.0.1:1?from=waypost@example.com',
    WAYPOST_S3_BUCKET_URL: 'http://127.0.0.1:1/bucket',
    WAYPOST_S3_KEY_ID: 'id',
    WAYPOST_S3_SECRET: 'hidden',
    WAYPOST_DATABASE_CONNECTIONS: '1000',
  });
  expect(code).toBe(1);
  expect(found).toMatchObject({
    certificate: expect.stringMatching(/^FAIL .*expired on .*2020/),
    files: expect.stringMatching(/^FAIL The S3 store cannot be reached/),
    mail: expect.stringMatching(/^FAIL The mail server 127\.0\.0\.1:1 cannot be used/),
    connections: expect.stringMatching(/^FAIL .*Increase max_connections/),
    migrations: expect.stringMatching(/^FAIL 1 pending\. Run "waypost migrate"/),
    'partner moves': expect.stringMatching(/^WARN Partner 7 is being moved to cell 1 since .* --finish or --undo\.$/),
    partitions: expect.stringMatching(/^FAIL events_\d{8} is missing/),
    'master key': expect.stringMatching(/^FAIL The master key [\da-f]{16} is missing: 1 values are encrypted with it/),
  });
  expect(JSON.stringify(found)).not.toContain('hidden');
});

test('reports the state of a rotation of the master key', { timeout: 60_000 }, async () => {
  const fleet = await Fleet.create();
  const { WAYPOST_MASTER_KEY: first = '' } = fleet.environment;
  const [current, former] = [randomBytes(32), Buffer.from(first, 'base64')];
  const second = current.toString('base64');
  const found = async (masterKey: string) =>
    (await examined({ ...fleet.environment, WAYPOST_MASTER_KEY: masterKey })).found['master key'];
  const open = (...masterKeys: Buffer[]) => openSealer({ masterKeys, dataDir: temporaryFolder() }, fleet.database);
  await open(former);
  expect(await found(`${first},${second}`)).toMatch(/^WARN No value is encrypted with [\da-f]{16}\./);
  const sealer = await open(current, former);
  expect(await found(`${second},${first}`)).toMatch(/^WARN A rotation is in progress: 1 values/);
  expect(await found(`${first},${second}`)).toMatch(/^WARN The database uses [\da-f]{16} as its current master key/);
  expect(await found(second)).toMatch(/^FAIL The master key [\da-f]{16} is missing: 1 values/);
  await reseal(fleet.database.pool, sealer);
  expect(await found(`${second},${first}`)).toMatch(
    /^WARN No value is encrypted with [\da-f]{16}\. Use this key as the next one, or remove it/,
  );
  expect(await found(second)).toBe('OK Opens the keys of 1 partners.');
  const { WAYPOST_MASTER_KEY: _, ...others } = fleet.environment;
  const failed = await examined({ ...others, WAYPOST_MASTER_KEY_COMMAND: 'false' });
  expect(failed.found['master key']).toMatch(/^FAIL WAYPOST_MASTER_KEY_COMMAND: false failed \(exit code 1\)/);
});

test.each<[string, () => Promise<NodeJS.ProcessEnv>, string, RegExp]>([
  ['invalid settings', async () => ({ PORT: 'http' }), 'settings', /^FAIL PORT is "http"/],
  [
    'an unreachable database',
    async () => ({ DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
    'database',
    /^FAIL The database of DATABASE_URL cannot be used/,
  ],
  ['an empty database', async () => ({ DATABASE_URL: await createEmptyDatabase() }), 'migrations', /^FAIL \d+ pending/],
])('reports %s', { timeout: 60_000 }, async (_, env, check, sentence) => {
  const { code, found } = await examined(await env());
  expect(code).toBe(1);
  expect(found[check]).toMatch(sentence);
});

test('compares WAYPOST_CELL with the cell of the database', { timeout: 60_000 }, async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  await claimCell(database, 3);
  const doctor = async (cell: string) =>
    (await examined({ DATABASE_URL: database.url, WAYPOST_DATA_DIR: temporaryFolder(), WAYPOST_CELL: cell })).found
      .cell;
  expect(await doctor('3')).toBe('OK Cell 3, 0 % of its ids used.');
  expect(await doctor('2')).toMatch(/^FAIL The database was created for cell 3, and WAYPOST_CELL is 2\./);
  await database.pool.query("select setval('event_id', $1)", [Math.round(3.9 * 2 ** 45)]);
  expect(await doctor('3')).toBe('WARN Cell 3, 90 % of its ids used. Create new partners on another cell.');
});
