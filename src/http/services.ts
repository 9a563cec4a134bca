import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Database } from '../database/connection.ts';
import type { Sealer } from '../events/signing/sealer.ts';
import type { Sender } from '../events/transport/sender.ts';
import type { FileStore } from '../storage/file-store.ts';

/** Finds a listing on a directory by its id or URL. */
export interface PageFinder {
  find(partnerId: number, directoryType: string, reference: { id: string } | { url: string }): Promise<FoundPage>;
}

type FoundPage =
  | { kind: 'page'; id: string; url: string | null }
  | { kind: 'none'; message?: string }
  | { kind: 'unavailable'; message: string; retryAfterSeconds: number };

/** The dependencies of route handlers. */
export interface Services {
  config: Config;
  database: Database;
  sealer: Sealer;
  sender: Sender;
  files: FileStore;
  log: Logger;
  metrics: Registry;
  /** Aborted when the process starts to shut down; it still serves requests until load balancers react. */
  stopping?: AbortSignal;
  pages: PageFinder;
  /** The sandbox network, if this process uses one. */
  sandbox?: { url(): string; key: string };
}
