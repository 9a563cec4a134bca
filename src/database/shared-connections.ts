import pg from 'pg';
import type { NotingClient } from './client.ts';
import { isDatabaseAway } from './faults.ts';
import { hold } from './transaction.ts';

/**
 * A few connections that many short statements share, each a transaction of its own. Statements are sent without
 * waiting for the answers of those before them, so that those of one moment travel together: a third less work than a
 * connection for each. Not for slow statements, which would hold up the ones behind them.
 */
export class SharedConnections {
  readonly #pool: pg.Pool;
  readonly #slots: (Promise<pg.PoolClient> | undefined)[];
  readonly #held = new Set<pg.PoolClient>();
  #next = 0;

  constructor(pool: pg.Pool, count: number) {
    this.#pool = pool;
    this.#slots = new Array(count).fill(undefined);
  }

  async query(statement: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    this.#next = (this.#next + 1) % this.#slots.length;
    const slot = this.#next;
    const opening = this.#client(slot);
    const client = await opening;
    this.#holdForThisTurn(client);
    try {
      return await submit(client, typeof statement === 'string' ? named(client, statement, values) : statement);
    } catch (error) {
      // The next statement gets another connection; those under way on this one still end.
      if (isDatabaseAway(error) && this.#forget(slot, opening)) client.release(true);
      throw error;
    }
  }

  /** Gives the connections back to the pool. */
  async release(): Promise<void> {
    const open = this.#slots.splice(0).filter((slot) => slot !== undefined);
    for (const client of await Promise.allSettled(open)) {
      if (client.status === 'fulfilled') client.value.release();
    }
  }

  /** What is asked in one turn of the event loop is sent together at its end. */
  #holdForThisTurn(client: pg.PoolClient): void {
    if (this.#held.has(client)) return;
    this.#held.add(client);
    const send = hold(client);
    process.nextTick(() => {
      this.#held.delete(client);
      send();
    });
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

function named(client: pg.PoolClient, text: string, values: unknown[] = []): pg.QueryConfig {
  const name = (client as pg.PoolClient & NotingClient).statementNames.of(text);
  return { text, values, ...(name && { name }) };
}

/** As the client's own `query` does, without the 10 µs that it takes to copy the statement's properties. */
function submit(client: pg.PoolClient, { name, text, values }: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text, values, (error: Error | undefined, result: pg.QueryResult) => {
      if (error) reject(error);
      else resolve(result);
    });
    Object.assign(query, { name });
    client.query(query);
  });
}
