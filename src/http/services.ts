import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { Database } from '../database/connection.ts';
import type { Sealer } from '../events/signing/sealer.ts';
import type { Sender } from '../events/transport/sender.ts';
import type { FileStore } from '../storage/file-store.ts';

/** Looks up the page of a directory by its id there or by its URL. */
export interface PageFinder {
  find(directoryType: string, reference: { id: string } | { url: string }): Promise<FoundPage>;
}

type FoundPage =
  | { kind: 'page'; id: string; url: string | null }
  | { kind: 'none'; message?: string }
  | { kind: 'unavailable'; message: string; retryAfterSeconds: number };

/** What routes may use. */
export interface Services {
  config: Config;
  database: Database;
  sealer: Sealer;
  sender: Sender;
  files: FileStore;
  log: Logger;
  metrics: Registry;
  /** Aborted when the process is asked to stop; it goes on serving until load balancers have noticed. */
  stopping?: AbortSignal;
  pages: PageFinder;
  /** Where the sandbox network is, for those who play with it; absent where this process knows of none. */
  sandbox?: { url(): string; key: string };
}
