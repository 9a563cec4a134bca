import type pg from 'pg';
import { openPool, type PoolOptions } from './client.ts';
import { isDatabaseUnavailable } from './faults.ts';
import { Notifications } from './notifications.ts';
import { currentPosition, type ReadReplica, ReplicaReads, type WalPosition } from './read-replica.ts';
import { type PooledClient, runTransaction, type Transaction } from './transaction.ts';

/** A pool or a transaction. */
export type Sql = Pick<pg.ClientBase, 'query'>;

export class Database {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly notifications: Notifications;
  /** Runs each statement in its own transaction. For short statements only: they share connections. */
  readonly autocommit: Transaction;
  readonly #shared: SharedConnections;
  /** Runs on every new connection; if it fails, the connection is discarded. */
  onConnect: ((client: Sql) => Promise<void>) | undefined;
  /** The server of DATABASE_READ_URL. */
  replica: ReadReplica | undefined;
  readonly #options: PoolOptions;

  constructor(url: string, options: PoolOptions) {
    this.url = url;
    this.#options = options;
    this.pool = openPool(url, options, (client) => this.onConnect?.(client));
    this.notifications = new Notifications(url, this.pool);
    this.#shared = new SharedConnections(this.pool, Math.ceil(options.connections / 3));
    this.autocommit = {
      query: this.#shared.query.bind(this.#shared) as Transaction['query'],
      notifyAfterCommit: (channel) => this.notifications.raise(channel),
    };
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return runTransaction(this.pool, this.notifications, work);
  }

  /**
   * For reads that may be outdated: the replica if it is usable and has replayed `after`, otherwise the primary. Use one
   * object per request or job: none of its reads returns an older state than the previous one.
   */
  laggingReads(after: WalPosition = 0): pg.Pool | ReplicaReads {
    if (!this.replica?.canRead(after)) return this.pool;
    const { statementLimit: limit = 'request', connections } = this.#options;
    return new ReplicaReads(this.replica, this.pool, { limit, connections });
  }

  /** The replica when it has replayed all commits up to now; the primary if that takes longer than the maximum lag. */
  async upToDateReads(): Promise<pg.Pool | ReplicaReads> {
    if (!this.replica) return this.pool;
    const now = await currentPosition(this.pool);
    return (await this.replica.waitFor(now)) ? this.laggingReads(now) : this.pool;
  }

  async close(): Promise<void> {
    await this.notifications.close();
    await this.#shared.release();
    await this.pool.end();
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
