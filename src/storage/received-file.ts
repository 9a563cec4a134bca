import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A completely received file in a temporary folder. */
export interface ReceivedFile {
  path: string;
  sizeBytes: number;
  /** Hexadecimal. */
  sha256: string;
}

export const incomingFolder = (dataDir: string) => join(dataDir, 'incoming');

/** Writes a stream to a private file and syncs it. Removes the file if the stream fails or exceeds `maxBytes`. */
export async function receiveFile(
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<ReceivedFile | 'too-large'> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx', 0o600);
  let isComplete = false;
  try {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) return 'too-large';
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    isComplete = true;
    return { path, sizeBytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
    if (!isComplete) await removeReceivedFile({ path });
  }
}

export const removeReceivedFile = ({ path }: Pick<ReceivedFile, 'path'>) => rm(path, { force: true });

/** Removes files of crashed processes: files that were last modified before `before`. */
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

/** Makes the rename durable. Not all systems can open a folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
