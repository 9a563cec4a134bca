import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { temporaryFolder } from '../cli/command-process.ts';
import { openSealer } from './master-key.ts';

async function installation() {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const dataDir = temporaryFolder();
  return { database, dataDir, path: join(dataDir, 'master.key') };
}

test('processes that start together use one key, and leave nothing else behind', async () => {
  const { database, dataDir } = await installation();
  const sealers = await Promise.all([1, 2, 3].map(() => openSealer({ masterKey: undefined, dataDir }, database)));
  expect(new Set(sealers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(['master.key']);
});

test('a lost key is not replaced by a new one, which could not open what is sealed', async () => {
  const { database, dataDir, path } = await installation();
  await openSealer({ masterKey: undefined, dataDir }, database);
  const key = await readFile(path);
  await rm(path);
  await expect(openSealer({ masterKey: undefined, dataDir }, database)).rejects.toThrow(
    'sealed with another master key',
  );
  await expect(access(path)).rejects.toThrow('ENOENT');
  expect(key.toString()).toMatch(/^[\w+/]{43}=\n$/);
});
