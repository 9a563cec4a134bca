import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database, Sql } from '../database/connection.ts';
import type { FileStore } from '../storage/file-store.ts';

/** What background work may use. Modules add to it by declaration merging. */
export interface JobContext {
  config: Config;
  database: Database;
  files: FileStore;
  log: Logger;
  /** Aborted when the process stops: long work ends where it can go on later. */
  signal: AbortSignal;
}

export interface PlatformJob<Payload = unknown> {
  task: string;
  /** For work that begins by itself, as in crontab. */
  schedule?: string;
  run(payload: Payload, context: JobContext): Promise<void>;
}

/** Keeps a list of jobs with payloads of different types together. */
export const platformJob = <Payload>(job: PlatformJob<Payload>): PlatformJob => job as PlatformJob;

/** Releases what processes that no longer run had leased for their jobs. */
export type ReleaseLeases = (sql: Sql, processIds: readonly number[]) => Promise<void>;

/** Everything that a job runner does. */
export interface JobSet {
  jobs: readonly PlatformJob[];
  releaseLeases: ReleaseLeases;
}
