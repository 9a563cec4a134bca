import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../database/connection.ts';
import type { Directories } from '../modules/directories/directories.ts';
import type { FileStore } from '../storage/file-store.ts';

/** What background work may use. */
export interface JobContext {
  config: Config;
  database: Database;
  directories: Directories;
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
