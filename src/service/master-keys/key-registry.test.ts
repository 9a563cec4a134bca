import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support/cli.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { openSealer } from './master-key.ts';

async function installation() {
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const dataDir = temporaryFolder();
  return { database, dataDir, path: join(dataDir, 'master.key') };
}

test('concurrent starts use one key and leave no temporary files', async () => {
  const { database, dataDir } = await installation();
  const sealers = await Promise.all([1, 2, 3].map(() => openSealer({ masterKey: undefined, dataDir }, database)));
  expect(new Set(sealers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(['master.key']);
});

test('does not replace a lost key', async () => {
  const { database, dataDir, path } = await installation();
  await openSealer({ masterKey: undefined, dataDir }, database);
  const key = await readFile(path);
  await rm(path);
  await expect(openSealer({ masterKey: undefined, dataDir }, database)).rejects.toThrow(
    'encrypted with another master key',
  );
  await expect(access(path)).rejects.toThrow('ENOENT');
  expect(key.toString()).toMatch(/^[\w+/]{43}=\n$/);
});
