import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

/** An inclusive byte range, as in HTTP. */
export interface ByteRange {
  from: number;
  to: number;
}

export interface OpenFile {
  stream: Readable;
  /** Size of the whole file, also for a range. */
  sizeBytes: number;
}

/** The data folder or an S3-compatible store. Names come from `newFileName`. Files are immutable. */
export interface FileStore {
  /** Atomic: stores the whole content or nothing. */
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<{ sizeBytes: number }>;
  /** Undefined if the file does not exist. */
  read(name: string, range?: ByteRange): Promise<OpenFile | undefined>;
  exists(name: string): Promise<boolean>;
  /** Succeeds if the file does not exist. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

declare module '../jobs/job.ts' {
  interface JobContext {
    files: FileStore;
  }
}

const nameShape = /^[a-z][a-z-]*(\/[a-z0-9][a-z0-9-]*)+(\.[a-z0-9]+)?$/;

/** A unique, unguessable name. The two-character folders keep directories small. */
export function newFileName(kind: string): string {
  const id = randomUUID();
  return `${kind}/${id.slice(0, 2)}/${id}`;
}

/** Prevents path traversal. Only names from `newFileName` are valid. */
export function checkFileName(name: string): string {
  if (!nameShape.test(name)) throw new Error(`"${name}" is not a valid file name.`);
  return name;
}
