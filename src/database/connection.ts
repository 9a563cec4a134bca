import pg from 'pg';
import { clientSettings, DatabaseClient, type statementLimits } from './client.ts';
import { Notifications } from './notifications.ts';
import { SharedConnections } from './shared-connections.ts';
import { runTransaction, type Transaction } from './transaction.ts';

/** A pool or a transaction. */
export type Sql = Pick<pg.ClientBase, 'query'>;

// Ids and counts stay below 2^53, so a number is exact.
const int8 = 20;
const types = new pg.TypeOverrides();
types.setTypeParser(int8, Number);
const int8Array = 1016;
types.setTypeParser(int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)));

const everySession = { timezone: 'UTC', jit: 'off' };

interface DatabaseOptions {
  connections: number;
  name: string;
  /** Default: request. */
  statementLimit?: keyof typeof statementLimits;
  settings?: Record<string, string>;
}

export class Database {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly notifications: Notifications;
  readonly #shared: SharedConnections;
  /** Runs on every new connection; if it fails, the connection is discarded. */
  onConnect: ((client: Sql) => Promise<void>) | undefined;

  constructor(url: string, options: DatabaseOptions) {
    this.url = url;
    this.pool = new pg.Pool({
      ...clientSettings(url, {
        name: options.name,
        statementLimit: options.statementLimit ?? 'request',
        settings: { ...everySession, ...options.settings },
      }),
      Client: DatabaseClient,
      max: options.connections,
      idleTimeoutMillis: 60_000,
      types,
      onConnect: (client: Sql) => this.onConnect?.(client),
    } as pg.PoolConfig);
    // Without listeners, a broken connection would crash the process. The pool replaces it.
    this.pool.on('error', () => {});
    this.pool.on('connect', (client) => client.on('error', () => {}));
    this.notifications = new Notifications(url, this.pool);
    this.#shared = new SharedConnections(this.pool, Math.ceil(options.connections / 3));
  }

  /** For a single short statement, in autocommit mode. */
  get alone(): Transaction {
    return {
      query: this.#shared.query.bind(this.#shared) as Transaction['query'],
      notifyAfterCommit: (channel) => this.notifications.raise(channel),
    };
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return runTransaction(this.pool, this.notifications, work);
  }

  async close(): Promise<void> {
    await this.notifications.close();
    await this.#shared.release();
    await this.pool.end();
  }
}
