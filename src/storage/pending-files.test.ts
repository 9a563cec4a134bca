import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../database/connection.ts';
import { type FileStore, newFileName } from './file-store.ts';
import { DiskStore } from './open-file-store.ts';
import { confirmFiles, keepFiles, registerFiles, releaseFiles, sweepFiles } from './pending-files.ts';
import { incomingFolder, receiveFile, removeAbandoned } from './received-file.ts';

let database: Database;
let dataDir: string;
let files: FileStore;
let name: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'waypost-unsettled-'));
  files = new DiskStore(dataDir);
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true });
});
beforeEach(() => {
  name = newFileName('assets');
});

async function* hello() {
  yield Buffer.from('hello');
}
const longAgo = new Date(0);
const inAWhile = () => new Date(Date.now() + 60_000);
const sweep = (announcedBefore: Date) => sweepFiles(database.pool, files, announcedBefore);
const unsettled = async () =>
  (await database.pool.query<{ name: string }>('select name from unsettled_files')).rows.map((row) => row.name);
const keep = () => database.transaction((transaction) => confirmFiles(transaction, [name]));

describe('a crash', () => {
  test('before the file is written leaves a name, which is swept', async () => {
    await registerFiles(database.pool, [name]);
    expect(await sweep(inAWhile())).toBe(1);
    expect(await unsettled()).toEqual([]);
  });

  test('before the row is inserted leaves a file, which is swept after the upload timeout', async () => {
    await registerFiles(database.pool, [name]);
    await files.put(name, hello());
    expect(await sweep(longAgo)).toBe(0);
    expect(await files.exists(name)).toBe(true);
    expect(await sweep(inAWhile())).toBe(1);
    expect(await files.exists(name)).toBe(false);
  });

  test('in the transaction of the row leaves the files pending', async () => {
    await registerFiles(database.pool, [name]);
    await files.put(name, hello());
    const died = database.transaction(async (transaction) => {
      await confirmFiles(transaction, [name]);
      throw new Error('died');
    });
    await expect(died).rejects.toThrow('died');
    expect(await unsettled()).toEqual([name]);
    await sweep(inAWhile());
    expect(await files.exists(name)).toBe(false);
  });

  test('after the row is deleted leaves the files to the next sweep', async () => {
    await registerFiles(database.pool, [name]);
    await files.put(name, hello());
    await keep();
    await releaseFiles(database.pool, [name]);
    const dying: FileStore = Object.create(files, {
      remove: {
        value: async (gone: string) => {
          await files.remove(gone);
          throw new Error('died');
        },
      },
    });
    await expect(sweepFiles(database.pool, dying, longAgo)).rejects.toThrow('died');
    expect(await unsettled()).toEqual([name]);
    expect(await sweep(longAgo)).toBe(1);
    expect(await unsettled()).toEqual([]);
  });

  test('during an upload leaves a partial file, which is removed later', async () => {
    const folder = incomingFolder(dataDir);
    const old = await receiveFile(folder, hello());
    const young = await receiveFile(folder, hello());
    if (old === 'too-large' || young === 'too-large') throw new Error('there is no limit');
    await utimes(old.path, longAgo, longAgo);
    expect(await removeAbandoned(folder, new Date(1000))).toBe(1);
    expect(await removeAbandoned(folder, inAWhile())).toBe(1);
  });
});

test('confirmed files are not swept', async () => {
  await registerFiles(database.pool, [name]);
  await files.put(name, hello());
  await keep();
  await sweep(inAWhile());
  expect(await files.exists(name)).toBe(true);
});

test('a file that cannot be removed does not keep the others', async () => {
  const others = Array.from({ length: 3 }, () => newFileName('assets'));
  // A folder in place of the file.
  await mkdir(join(dataDir, 'files', name), { recursive: true });
  await releaseFiles(database.pool, [name]);
  for (const other of others) await files.put(other, hello());
  await releaseFiles(database.pool, others);
  await expect(sweep(longAgo)).rejects.toThrow('EISDIR');
  expect(await unsettled()).toEqual([name]);
  for (const other of others) expect(await files.exists(other)).toBe(false);
  await rm(join(dataDir, 'files', name), { recursive: true });
  expect(await sweep(longAgo)).toBe(1);
});

test('the sweep ends when no file can be removed, and the next sweep begins with other files', async () => {
  const names = Array.from({ length: 10 }, () => newFileName('assets'));
  for (const folder of names) await mkdir(join(dataDir, 'files', folder), { recursive: true });
  await releaseFiles(database.pool, names);
  await files.put(name, hello());
  await releaseFiles(database.pool, [name]);
  await expect(sweep(longAgo)).rejects.toThrow('EISDIR');
  expect((await unsettled()).sort()).toEqual([...names, name].sort());
  await expect(sweep(longAgo)).rejects.toThrow('EISDIR');
  expect((await unsettled()).sort()).toEqual(names.sort());
  for (const folder of names) await rm(join(dataDir, 'files', folder), { recursive: true });
  expect(await sweep(longAgo)).toBe(10);
});

test('files that are released after the start of a backup are kept until it ends', async () => {
  const [before, during] = [newFileName('assets'), newFileName('assets')];
  await files.put(during, hello());
  await releaseFiles(database.pool, [before]);
  const releasing = await database.pool.connect();
  await releasing.query('begin');
  await releaseFiles(releasing, [during]);
  const backup = await database.pool.connect();
  const backedUp: FileStore = Object.create(files, {
    remove: {
      value: async (removed: string) => {
        if (removed === before) {
          await keepFiles(backup);
          await releasing.query('commit');
        }
        await files.remove(removed);
      },
    },
  });
  expect(await sweepFiles(database.pool, backedUp, longAgo)).toBe(1);
  expect(await sweep(longAgo)).toBe(0);
  expect(await files.exists(during)).toBe(true);
  releasing.release();
  backup.release(true);
  await expect.poll(() => sweep(longAgo)).toBe(1);
  expect(await files.exists(during)).toBe(false);
});

test('files that were swept cannot be confirmed', async () => {
  await registerFiles(database.pool, [name]);
  await sweep(inAWhile());
  await expect(keep()).rejects.toThrow('not confirmed within 24 hours');
});

test('an upload above the limit leaves no file', async () => {
  const folder = incomingFolder(dataDir);
  expect(await receiveFile(folder, hello(), 4)).toBe('too-large');
  expect(await removeAbandoned(folder, inAWhile())).toBe(0);
});

test('a file that cannot be stored leaves no partial file', async () => {
  await mkdir(join(dataDir, 'files', name), { recursive: true });
  await expect(files.put(name, hello())).rejects.toThrow('EISDIR');
  expect(await removeAbandoned(incomingFolder(dataDir), inAWhile())).toBe(0);
});
