import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that has arrived whole and lies on this machine until it has found its place. */
export interface ReceivedFile {
  path: string;
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
}

export const incomingFolder = (dataDir: string) => join(dataDir, 'incoming');

/**
 * Writes what arrives to a file that only its owner can read, and onto the disk before it says so. Nothing is kept of
 * what is longer than it may be, or breaks off.
 */
export async function receiveFile(
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<ReceivedFile | 'too-large'> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx', 0o600);
  let isWhole = false;
  try {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > mostBytes) return 'too-large';
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    isWhole = true;
    return { path, sizeBytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
    if (!isWhole) await removeReceivedFile({ path });
  }
}

export const removeReceivedFile = ({ path }: Pick<ReceivedFile, 'path'>) => rm(path, { force: true });

/** What a process left behind when it died before the file had found its place. */
export async function removeAbandoned(folder: string, before: Date): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const { mtime } = (await stat(path).catch(() => undefined)) ?? { mtime: new Date() };
    if (mtime >= before) continue;
    await removeReceivedFile({ path });
    removed += 1;
  }
  return removed;
}
