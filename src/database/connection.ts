import pg from 'pg';
import { bindTrace } from '../telemetry/tracing.ts';
import { clientSettings, DatabaseClient, type statementLimits } from './client.ts';
import { isDatabaseUnavailable } from './faults.ts';
import { Notifications } from './notifications.ts';
import { type PooledClient, runTransaction, type Transaction } from './transaction.ts';

/** A pool or a transaction. */
export type Sql = Pick<pg.ClientBase, 'query'>;

// Ids and counts stay below 2^53, so a number is exact.
const int8 = 20;
const types = new pg.TypeOverrides();
types.setTypeParser(int8, Number);
const int8Array = 1016;
types.setTypeParser(int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)));

// Times that statements return as text are parsed.
const everySession = { timezone: 'UTC', datestyle: 'ISO', jit: 'off' };

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
  /** For a single short statement, in autocommit mode. */
  readonly alone: Transaction;
  readonly #shared: SharedConnections;
  /** Runs on every new connection; if it fails, the connection is discarded. */
  onConnect: ((client: Sql) => Promise<void>) | undefined;

  constructor(url: string, options: DatabaseOptions) {
    this.url = url;
    this.pool = new TracedPool({
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
    this.alone = {
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

/** A statement that waited for a connection belongs to the trace of its caller, not of the connection's last user. */
class TracedPool extends pg.Pool {
  // biome-ignore lint/suspicious/noExplicitAny: the library has two signatures for this method
  override connect(callback?: any): any {
    return callback ? super.connect(bindTrace(callback)) : super.connect();
  }
}

type Query = pg.QueryConfig & { rowMode?: 'array' };

/** Statements that one connection gets in an iteration of the event loop. */
const maxPipelined = 8;

/**
 * Pipelines short autocommit statements over a few connections: a third less work than a connection per statement.
 * The statements of an iteration of the event loop are sent together, which wakes up the server once for all of them.
 * Not for slow statements, which would block the following ones.
 */
class SharedConnections {
  readonly #pool: pg.Pool;
  readonly #slots: (Promise<PooledClient> | undefined)[];
  readonly #corked = new Set<PooledClient>();
  #slot = 0;
  /** Statements of the current iteration. */
  #statements = 0;

  constructor(pool: pg.Pool, count: number) {
    this.#pool = pool;
    this.#slots = new Array(count).fill(undefined);
  }

  async query(statement: string | Query, values?: unknown[]): Promise<pg.QueryResult> {
    const slot = this.#nextSlot();
    const opening = this.#client(slot);
    const client = await opening;
    this.#corkUntilNextIteration(client);
    try {
      return await (typeof statement === 'string' ? client.query(statement, values ?? []) : client.query(statement));
    } catch (error) {
      // The next statement gets a new connection.
      if (isDatabaseUnavailable(error) && this.#drop(slot, opening)) client.release(true);
      throw error;
    }
  }

  /** Returns the connections to the pool. */
  async release(): Promise<void> {
    const open = this.#slots.splice(0).filter((slot) => slot !== undefined);
    for (const client of await Promise.allSettled(open)) {
      if (client.status === 'fulfilled') client.value.release();
    }
  }

  #nextSlot(): number {
    if (this.#statements === 0) {
      setImmediate(() => {
        this.#statements = 0;
      });
    }
    if (this.#statements % maxPipelined === 0) this.#slot = (this.#slot + 1) % this.#slots.length;
    this.#statements++;
    return this.#slot;
  }

  #corkUntilNextIteration(client: PooledClient): void {
    if (this.#corked.has(client)) return;
    this.#corked.add(client);
    const send = client.corkWrites();
    setImmediate(() => {
      this.#corked.delete(client);
      send();
    });
  }

  #client(slot: number): Promise<PooledClient> {
    const known = this.#slots[slot];
    if (known) return known;
    const opening = this.#open(slot);
    this.#slots[slot] = opening;
    opening.catch(() => this.#drop(slot, opening));
    return opening;
  }

  async #open(slot: number): Promise<PooledClient> {
    const client = (await this.#pool.connect()) as PooledClient;
    const opening = this.#slots[slot];
    const lost = () => {
      if (opening && this.#drop(slot, opening)) client.release(true);
    };
    client.once('error', lost);
    client.once('end', lost);
    return client;
  }

  #drop(slot: number, opening: Promise<PooledClient>): boolean {
    if (this.#slots[slot] !== opening) return false;
    this.#slots[slot] = undefined;
    return true;
  }
}
