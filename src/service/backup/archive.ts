import { createHash, randomUUID } from 'node:crypto';
import type { WriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { type Readable, Transform } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type Entry, openPromise, type ZipFile as ZipReader } from 'yauzl';
import { ZipFile } from 'yazl';
import { ConfigurationProblem } from '../../config.ts';

/** Size and hash of the uncompressed content of an entry. */
export interface Checksum {
  bytes: number;
  sha256: string;
}

/** The content of manifest.json, the last entry of an archive. */
export interface Manifest {
  format: 1;
  /** The version of Waypost. */
  release: string;
  createdAt: string;
  /** Names and hashes of the applied migrations. */
  migrations: Record<string, string>;
  /** Identifies the current master key, which is not in the archive. */
  masterKey: string | null;
  /** During a rotation: identifies the other master keys that values are encrypted with. */
  formerMasterKeys?: string[];
  partitionDays: { first: string; last: string };
  sequences: Record<string, string>;
  tables: Record<string, Checksum & { rows: number }>;
  files: Record<string, Checksum>;
}

export const tableEntry = (name: string) => `database/${name}.copy`;
export const fileEntry = (name: string) => `files/${name}`;
const manifestEntry = 'manifest.json';

/** Passes the content through and computes its checksum. */
class ChecksumStream extends Transform {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    done(null, chunk);
  }

  /** Call it once, at the end of the stream. */
  checksum(): Checksum {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

export async function checksumOf(content: Readable): Promise<Checksum> {
  const counted = new ChecksumStream();
  await pipeline(content, counted.resume());
  return counted.checksum();
}

/** Writes a ZIP file in bounded memory. The file gets its name when it is complete. */
export class ArchiveWriter {
  readonly #path: string;
  readonly #partial: string;
  readonly #zip = new ZipFile();
  readonly #output: WriteStream;
  readonly #written: Promise<void>;

  private constructor(path: string, partial: string, output: WriteStream) {
    this.#path = path;
    this.#partial = partial;
    this.#output = output;
    this.#written = pipeline(this.#zip.outputStream, output).catch((error) => {
      // Other errors are those of the content.
      throw ['write', 'fsync', 'close'].includes(error.syscall) ? notWritable(path, error) : error;
    });
    // Errors are reported by `add` and `finish`.
    this.#written.catch(() => {});
    this.#zip.on('error', (error: Error) => this.#output.destroy(error));
  }

  static async create(path: string): Promise<ArchiveWriter> {
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) throw new ConfigurationProblem(`${path} exists. Choose another name, or remove the file.`);
    // Another backup may write to the same path.
    const partial = `${path}.${randomUUID()}.partial`;
    const file = await open(partial, 'wx', 0o600).catch((error) => {
      throw notWritable(path, error);
    });
    return new ArchiveWriter(path, partial, file.createWriteStream({ flush: true }));
  }

  /** `compress: false` for content that is compressed already, such as pictures. */
  async add(name: string, content: Readable, { compress = true } = {}): Promise<Checksum> {
    const counted = new ChecksumStream();
    this.#zip.addReadStreamLazy(name, { mode: 0o100600, compress }, (opened) => opened(null, counted));
    // A full disk ends the output, and the content would wait forever.
    const failed = this.#written.then(() => Promise.reject(new Error('The archive ended before its content.')));
    await Promise.race([pipeline(content, counted), failed]).catch((error) => {
      content.destroy();
      throw error;
    });
    return counted.checksum();
  }

  async finish(manifest: Manifest): Promise<void> {
    this.#zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), manifestEntry, { mode: 0o100600 });
    this.#zip.end();
    await this.#written;
    await rename(this.#partial, this.#path).catch((error) => {
      throw notWritable(this.#path, error);
    });
  }

  async abort(): Promise<void> {
    this.#output.destroy();
    await rm(this.#partial, { force: true });
  }
}

const notWritable = (path: string, { code }: NodeJS.ErrnoException) =>
  new ConfigurationProblem(
    `${path} cannot be written (${code}). Choose a name in an existing folder that is writable for this user and has ` +
      'enough space.',
  );

export class ArchiveReader {
  readonly manifest: Manifest;
  readonly #zip: ZipReader;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipReader, entries: ReadonlyMap<string, Entry>, manifest: Manifest) {
    this.#zip = zip;
    this.#entries = entries;
    this.manifest = manifest;
  }

  static async open(path: string): Promise<ArchiveReader> {
    try {
      const zip = await openPromise(path, { autoClose: false });
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
      const found = entries.get(manifestEntry);
      if (!found) throw new Error(`${manifestEntry} is missing`);
      const manifest = (await json(await zip.openReadStreamPromise(found))) as Manifest;
      if (manifest.format !== 1) throw new Error(`its format ${manifest.format} is newer than this version of Waypost`);
      return new ArchiveReader(zip, entries, manifest);
    } catch (error) {
      throw new ConfigurationProblem(`${path} is not a complete backup (${(error as Error).message}).`);
    }
  }

  /** Streams an entry and fails at its end if the content differs from its checksum. */
  async read<T>(name: string, expected: Checksum, use: (content: Readable) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(name);
    if (!entry) throw new ConfigurationProblem(`The backup is damaged: ${name} is missing.`);
    const counted = new ChecksumStream();
    const source = await this.#zip.openReadStreamPromise(entry);
    const using = use(counted).catch((error) => {
      // Otherwise, the source would wait forever if the content was not read.
      counted.destroy();
      throw error;
    });
    const [used, read] = await Promise.allSettled([using, pipeline(source, counted)]);
    if (read.status === 'rejected' && !isPremature(read.reason)) {
      throw new ConfigurationProblem(`The backup is damaged: ${name} cannot be read (${read.reason.message}).`);
    }
    if (used.status === 'rejected') throw used.reason;
    const { bytes, sha256 } = counted.checksum();
    if (bytes !== expected.bytes || sha256 !== expected.sha256) {
      throw new ConfigurationProblem(`The backup is damaged: the checksum of ${name} is wrong.`);
    }
    return used.value;
  }

  close(): void {
    this.#zip.close();
  }
}

/** The use of the content failed first and closed the stream. */
const isPremature = ({ code }: NodeJS.ErrnoException) => code === 'ERR_STREAM_PREMATURE_CLOSE';
