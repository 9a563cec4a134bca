import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Config, ConfigurationProblem } from '../config.ts';
import { type ByteRange, checkFileName, type FileStore, type OpenFile } from './file-store.ts';
import { incomingFolder, receiveFile, removeReceivedFile, syncFolder } from './received-file.ts';
import { S3Store } from './s3-store.ts';

const isMissing = (error: NodeJS.ErrnoException) => error.code === 'ENOENT';

/** Files in the data folder, readable by their owner only. */
export class DiskStore implements FileStore {
  readonly #folder: string;
  readonly #incoming: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'files');
    this.#incoming = incomingFolder(dataDir);
  }

  async put(name: string, content: AsyncIterable<Uint8Array>): Promise<{ sizeBytes: number }> {
    const path = this.#pathOf(name);
    const received = await receiveFile(this.#incoming, content);
    if (received === 'too-large') throw new Error('Unexpected size limit.');
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(received.path, path);
    } catch (error) {
      await removeReceivedFile(received);
      throw error;
    }
    await syncFolder(dirname(path));
    return { sizeBytes: received.sizeBytes };
  }

  async read(name: string, range?: ByteRange): Promise<OpenFile | undefined> {
    const file = await open(this.#pathOf(name), 'r').catch((error) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (!file) return undefined;
    const { size } = await file.stat();
    const stream = createReadStream('', { fd: file, ...(range && { start: range.from, end: range.to }) });
    return { stream, sizeBytes: size };
  }

  async exists(name: string): Promise<boolean> {
    return stat(this.#pathOf(name)).then(
      (found) => found.isFile(),
      (error) => {
        if (isMissing(error)) return false;
        throw error;
      },
    );
  }

  async remove(name: string): Promise<void> {
    await rm(this.#pathOf(name), { force: true });
  }

  async close(): Promise<void> {}

  #pathOf(name: string): string {
    return join(this.#folder, checkFileName(name));
  }
}

/** The file store refused a file or cannot be reached. */
export class StoreProblem extends ConfigurationProblem {
  constructor({ message }: Error) {
    super(
      `${message}. Check the settings of the file store (WAYPOST_S3_BUCKET_URL or WAYPOST_DATA_DIR) and try again.`,
    );
  }
}

/** The configured store. It is not accessed before the first file. */
export const openFileStore = (config: Config): FileStore =>
  config.s3BucketUrl === undefined ? new DiskStore(config.dataDir) : new S3Store(config.s3BucketUrl, config);
