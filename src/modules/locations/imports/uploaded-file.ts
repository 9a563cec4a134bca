import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../../problems.ts';
import { CsvScreening, type Screened } from './csv-screening.ts';

/** A file that has arrived whole and lies on disk until it has been worked through. */
export class UploadedFile {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly screened: Screened;
  readonly #sha256: string;
  /** Whether a task has taken it over. */
  isTaken = false;

  constructor(file: { name: string; path: string; sizeBytes: number; sha256: string; screened: Screened }) {
    this.name = file.name;
    this.path = file.path;
    this.sizeBytes = file.sizeBytes;
    this.screened = file.screened;
    this.#sha256 = file.sha256;
  }

  /** What two requests with the same Idempotency-Key are compared by. */
  toJSON(): object {
    return { sha256: this.#sha256 };
  }
}

export const uploadFolder = (dataDir: string) => join(dataDir, 'uploads');

interface Arriving {
  name: string;
  folder: string;
  mostBytes: number;
}

/** Writes what arrives to a file that only its owner can read. What is refused is not kept. */
export async function receiveFile(
  chunks: AsyncIterable<Buffer>,
  { name, folder, mostBytes }: Arriving,
): Promise<UploadedFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.csv`);
  const file = await open(path, 'wx', 0o600);
  try {
    const screening = new CsvScreening();
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > mostBytes) throw tooLarge(mostBytes);
      screening.push(chunk);
      hash.update(chunk);
      await file.write(chunk);
    }
    return new UploadedFile({ name, path, sizeBytes, sha256: hash.digest('hex'), screened: screening.end() });
  } catch (error) {
    await removeFile(path);
    throw error;
  } finally {
    await file.close();
  }
}

export const removeFile = (path: string) => rm(path, { force: true });

/** Files that a process left behind when it died before a task had taken them over. */
export async function removeAbandonedFiles(folder: string, isNeeded: (path: string) => boolean, before: Date) {
  const names = await readdir(folder).catch(() => []);
  let removed = 0;
  for (const path of names.map((name) => join(folder, name))) {
    const { mtime } = (await stat(path).catch(() => undefined)) ?? { mtime: new Date() };
    if (mtime >= before || isNeeded(path)) continue;
    await removeFile(path);
    removed += 1;
  }
  return removed;
}

export const tooLarge = (mostBytes: number) =>
  new Problem('BAD_REQUEST', {
    message:
      `The file is larger than ${Math.floor(mostBytes / 2 ** 20)} MiB, the most that is taken here. ` +
      'Split it, or have WAYPOST_UPLOAD_LIMIT raised.',
  });
