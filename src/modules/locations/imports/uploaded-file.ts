import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../../problems.ts';
import { CsvScreening, type Screened } from './csv-screening.ts';

/** A complete upload, stored on disk until the import has finished. */
export class UploadedFile {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly screened: Screened;
  readonly #sha256: string;
  /** Whether a task owns the file. */
  isClaimed = false;

  constructor(file: { name: string; path: string; sizeBytes: number; sha256: string; screened: Screened }) {
    this.name = file.name;
    this.path = file.path;
    this.sizeBytes = file.sizeBytes;
    this.screened = file.screened;
    this.#sha256 = file.sha256;
  }

  /** Compared between requests with the same Idempotency-Key. */
  toJSON(): object {
    return { sha256: this.#sha256 };
  }
}

export const uploadFolder = (dataDir: string) => join(dataDir, 'uploads');

interface Destination {
  name: string;
  folder: string;
  maxBytes: number;
}

/** Writes the upload to a file with mode 0600; deletes it when the upload is rejected. */
export async function receiveFile(
  chunks: AsyncIterable<Buffer>,
  { name, folder, maxBytes }: Destination,
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
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
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

/** Removes files of crashed processes that no task owns. */
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

export const tooLarge = (maxBytes: number) =>
  new Problem('BAD_REQUEST', {
    message:
      `The file is larger than the limit of ${Math.floor(maxBytes / 2 ** 20)} MiB. ` +
      'Split the file, or ask the operator to raise WAYPOST_UPLOAD_LIMIT.',
  });
