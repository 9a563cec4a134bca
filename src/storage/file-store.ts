import type { Readable } from 'node:stream';

/** The bytes from one to another, both included, as in an HTTP range. */
export interface ByteRange {
  from: number;
  to: number;
}

export interface OpenFile {
  stream: Readable;
  /** Of the whole file, whatever range is read. */
  sizeBytes: number;
}

/**
 * Where files lie: the data folder or an S3-compatible store. Names are made by `newFileName`, never by somebody
 * outside. Files are written once and not changed.
 */
export interface FileStore {
  /** Keeps what arrives, whole or not at all. */
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<{ sizeBytes: number }>;
  /** Nothing when there is no such file. */
  read(name: string, range?: ByteRange): Promise<OpenFile | undefined>;
  exists(name: string): Promise<boolean>;
  /** One that is not there is removed already. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

declare module '../jobs/job.ts' {
  interface JobContext {
    files: FileStore;
  }
}
