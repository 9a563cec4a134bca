import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startS3 } from '../../test/support/assets.ts';
import { readConfig } from '../config.ts';
import { type FileStore, newFileName } from './file-store.ts';
import { openFileStore } from './open-file-store.ts';
import { incomingFolder } from './received-file.ts';

let s3: Awaited<ReturnType<typeof startS3>>;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waypost-files-'));
  s3 = await startS3();
});
afterAll(async () => {
  await s3.close();
  await rm(dataDir, { recursive: true });
});

const opened = (env: Record<string, string> = {}) => openFileStore(readConfig({ WAYPOST_DATA_DIR: dataDir, ...env }));

async function* chunksOf(bytes: Uint8Array, size = 64 * 1024): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Conformance suite of all stores. */
describe.each(['the data folder', 'an S3-compatible store'])('%s', (kind) => {
  let files: FileStore;
  beforeAll(() => {
    files = opened(kind === 'the data folder' ? {} : s3.env);
  });
  afterAll(() => files.close());

  const contentOf = async (name: string, range?: { from: number; to: number }) => {
    const open = await files.read(name, range);
    return open && { bytes: await buffer(open.stream), sizeBytes: open.sizeBytes };
  };

  test.each([0, 1, 100_000, 3_000_000])('returns the %d stored bytes', async (length) => {
    const bytes = randomBytes(length);
    const name = newFileName('assets');
    expect(await files.put(name, chunksOf(bytes))).toEqual({ sizeBytes: length });
    expect(await files.exists(name)).toBe(true);
    const back = await contentOf(name);
    expect(back?.sizeBytes).toBe(length);
    expect(back?.bytes.equals(bytes)).toBe(true);
  });

  test('reads a part of a file', async () => {
    const bytes = randomBytes(1000);
    const name = newFileName('assets');
    await files.put(name, chunksOf(bytes));
    for (const [from, to] of [
      [0, 4],
      [10, 19],
      [999, 999],
      [0, 999],
    ] as const) {
      const part = await contentOf(name, { from, to });
      expect(part?.sizeBytes).toBe(1000);
      expect(part?.bytes.equals(bytes.subarray(from, to + 1))).toBe(true);
    }
  });

  test('returns undefined for a missing file', async () => {
    const name = newFileName('assets');
    expect(await files.read(name)).toBeUndefined();
    expect(await files.exists(name)).toBe(false);
  });

  test('removes a file, and ignores a missing one', async () => {
    const name = newFileName('assets');
    await files.put(name, chunksOf(randomBytes(10)));
    await files.remove(name);
    expect(await files.exists(name)).toBe(false);
    await files.remove(name);
  });

  test('stores nothing if the stream fails', async () => {
    const name = newFileName('assets');
    async function* broken() {
      yield randomBytes(100_000);
      throw new Error('The stream failed.');
    }
    await expect(files.put(name, broken())).rejects.toThrow('The stream failed.');
    expect(await files.exists(name)).toBe(false);
    expect(await readdir(incomingFolder(dataDir))).toEqual([]);
  });

  test.each(['../secret', 'assets/../../secret', '/etc/passwd', 'assets', 'assets/a b', 'assets/%2e%2e/x', ''])(
    'rejects the name %j',
    async (name) => {
      await expect(files.read(name)).rejects.toThrow('not a valid file name');
      await expect(files.put(name, chunksOf(randomBytes(1)))).rejects.toThrow('not a valid file name');
      await expect(files.remove(name)).rejects.toThrow('not a valid file name');
    },
  );
});

// S3 guarantees this; the test server does not.
test('concurrent writes to one name store one complete file', async () => {
  const files = opened();
  const name = newFileName('assets');
  const [one, other] = [Buffer.alloc(500_000, 1), Buffer.alloc(500_000, 2)];
  await Promise.all([files.put(name, chunksOf(one)), files.put(name, chunksOf(other))]);
  const there = await files.read(name);
  const bytes = there && (await buffer(there.stream));
  expect([one, other].some((sent) => bytes?.equals(sent))).toBe(true);
  await files.close();
});

test('a data folder that cannot be read is not a missing file', async () => {
  const folder = join(dataDir, 'unreadable');
  await mkdir(folder);
  await writeFile(join(folder, 'files'), 'not a folder');
  const files = opened({ WAYPOST_DATA_DIR: folder });
  await expect(files.exists(newFileName('assets'))).rejects.toThrow('ENOTDIR');
  await files.close();
});

describe('an S3-compatible store', () => {
  test('reports the error code of S3', async () => {
    const files = opened({ ...s3.env, WAYPOST_S3_SECRET: 'another' });
    const name = newFileName('assets');
    await expect(files.put(name, chunksOf(randomBytes(5)))).rejects.toThrow(
      /failed to put .* 403 SignatureDoesNotMatch/,
    );
    await files.close();
  });

  test('retries after errors of S3', async () => {
    let stumbles = 0;
    const target = new URL(s3.env.WAYPOST_S3_BUCKET_URL as string);
    const between = http.createServer((request, response) => {
      if (stumbles++ < 2) {
        request.resume().on('end', () => response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>'));
        return;
      }
      // The signature covers the host, so it must not change.
      const onward = http.request(
        {
          host: target.hostname,
          port: target.port,
          path: request.url,
          method: request.method,
          headers: request.headers,
        },
        (s3Response) => {
          response.writeHead(s3Response.statusCode ?? 500, s3Response.headers);
          s3Response.pipe(response);
        },
      );
      request.pipe(onward);
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    const { port } = between.address() as AddressInfo;
    const files = opened({ ...s3.env, WAYPOST_S3_BUCKET_URL: `http://127.0.0.1:${port}/waypost` });
    const bytes = randomBytes(200_000);
    const name = newFileName('assets');
    await files.put(name, chunksOf(bytes));
    expect(stumbles).toBe(3);
    const open = await files.read(name);
    expect(open && (await buffer(open.stream)).equals(bytes)).toBe(true);
    await files.close();
    between.closeAllConnections();
    between.close();
  });

  test('requires an access key', () => {
    expect(() => opened({ WAYPOST_S3_BUCKET_URL: 'https://bucket.example.com' })).toThrow(/WAYPOST_S3_KEY_ID/);
  });
});
