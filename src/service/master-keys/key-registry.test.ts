import { randomBytes } from 'node:crypto';
import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/cli.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { runJobs } from '../../../test/support/jobs.ts';
import { createPartner } from '../../modules/accounts/partners/partner-store.ts';
import { openSealer, processesSealingWith, readRegistry, showMasterKeys } from './key-registry.ts';
import { reseal } from './reseal.ts';
import { countSealedValues } from './sealed-columns.ts';

async function installation() {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const dataDir = temporaryFolder();
  const open = (...masterKeys: Buffer[]) => openSealer({ masterKeys, dataDir }, database);
  return { database, dataDir, path: join(dataDir, 'master.key'), open };
}

/** An installation with one value, and its keys. */
async function usedInstallation() {
  const { database, open } = await installation();
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const sealer = await open(first);
  await createPartner(database.pool, sealer, { identifier: 'acme', name: 'Acme' });
  return { database, open, first, second, sealer };
}

test('concurrent starts use one key and leave no temporary files', async () => {
  const { database, dataDir } = await installation();
  const sealers = await Promise.all([1, 2, 3].map(() => openSealer({ dataDir }, database)));
  expect(new Set(sealers.map(({ current }) => current.fingerprint)).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(['master.key']);
});

test('does not replace a lost key', async () => {
  const { database, dataDir, path } = await installation();
  const sealer = await openSealer({ dataDir }, database);
  const key = await readFile(path);
  await rm(path);
  await expect(openSealer({ dataDir }, database)).rejects.toThrow(
    `The master key with the fingerprint ${sealer.current.fingerprint} is missing.`,
  );
  await expect(access(path)).rejects.toThrow('ENOENT');
  expect(key.toString()).toMatch(/^[\w+/]{43}=\n$/);
});

test('refuses another key', async () => {
  const { open, sealer } = await usedInstallation();
  await expect(open(randomBytes(32))).rejects.toThrow(
    `${sealer.current.fingerprint} is missing. 1 values in this database are encrypted with it.`,
  );
});

test('requires the former key until all values are sealed by the new one', async () => {
  const { database, open, first, second, sealer } = await usedInstallation();
  const rotated = await open(second, first);
  const [old, current] = [sealer.current.fingerprint, rotated.current.fingerprint];
  expect(await readRegistry(database.pool)).toEqual({ current, former: [old], unmarked: old });
  await expect(open(second)).rejects.toThrow(`${old} is missing. 1 values`);
  expect(await reseal(database.pool, rotated)).toMatchObject({ resealed: 1, isFinished: true });
  await open(second);
  expect(await readRegistry(database.pool)).toEqual({ current, former: [], unmarked: old });
  // The next process also marks its values.
  const next = await open(second);
  await createPartner(database.pool, next, { identifier: 'other', name: 'Other' });
  expect(await countSealedValues(database.pool, old)).toEqual(new Map([[current, 2]]));
});

test('a process with the former order of the keys starts and re-seals nothing', async () => {
  const { database, open, first, second } = await usedInstallation();
  const { current } = await open(second, first);
  const behind = await open(first, second);
  await runJobs(database, { sealer: behind });
  const counts = await countSealedValues(database.pool, behind.current.fingerprint);
  expect(counts).toEqual(new Map([[behind.current.fingerprint, 1]]));
  expect((await readRegistry(database.pool)).current).toBe(current.fingerprint);
});

test('the background job re-seals after the start with a new key', async () => {
  const { database, open, first, second } = await usedInstallation();
  const rotated = await open(second, first);
  await runJobs(database, { sealer: rotated });
  expect(await countSealedValues(database.pool, '')).toEqual(new Map([[rotated.current.fingerprint, 1]]));
});

test('a new key is refused while a running process does not have it', async () => {
  const { database, open, first, second, sealer } = await usedInstallation();
  const presence = await showMasterKeys(database.url, sealer);
  onTestFinished(() => presence.close());
  await expect(open(second, first)).rejects.toThrow(/^1 running processes do not have the master key with the finger/);
  const prepared = await showMasterKeys(database.url, await open(first, second));
  onTestFinished(() => prepared.close());
  await presence.close();
  await expect.poll(() => open(second, first).catch(() => undefined)).toBeDefined();
});

test('a former key is required while a running process seals with it', async () => {
  const { database, open, first, second } = await usedInstallation();
  const behind = await showMasterKeys(database.url, await open(first, second));
  onTestFinished(() => behind.close());
  await reseal(database.pool, await open(second, first));
  await expect(open(second)).rejects.toThrow('1 running processes encrypt with it');
  await behind.close();
  await expect.poll(() => open(second).catch(() => undefined)).toBeDefined();
});

test('shows the keys again after a lost connection', async () => {
  const { database, open, first, second, sealer } = await usedInstallation();
  const presence = await showMasterKeys(database.url, sealer);
  onTestFinished(() => presence.close());
  const connections = async () =>
    (await database.pool.query("select pid from pg_stat_activity where application_name = 'waypost keys'")).rows;
  const [lost] = await connections();
  await database.pool.query('select pg_terminate_backend($1)', [lost.pid]);
  await expect.poll(async () => (await connections())[0]?.pid).not.toBe(lost.pid);
  const { fingerprint } = sealer.current;
  await expect.poll(() => processesSealingWith(database.pool, fingerprint)).toBe(1);
  await expect(open(second, first)).rejects.toThrow('1 running processes do not have the master key');
});
