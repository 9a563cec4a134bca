import type { FastifyInstance } from 'fastify';
import type { Sql } from '../../../database/connection.ts';
import type { CountedUse, DeprecatedUse } from './deprecated-use.ts';
import { addUses } from './deprecated-use-store.ts';

const writtenEveryMs = 10_000;

/**
 * Counts in memory and writes down what was counted every few seconds: a client that uses something old uses it with
 * every request, and those shall not wait for one row.
 */
class UseLedger {
  readonly #sql: Sql;
  #counted = new Map<string, CountedUse>();
  #writing: Promise<void> = Promise.resolve();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  count(use: DeprecatedUse, now = new Date()): void {
    const key = JSON.stringify([use.partnerId, use.version, use.name, use.replacedBy, now.toISOString().slice(0, 10)]);
    const known = this.#counted.get(key);
    this.#counted.set(key, { ...use, count: (known?.count ?? 0) + 1, lastUsed: now });
  }

  /** What could not be written is kept for the next time. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const counted = this.#counted;
      if (counted.size === 0) return;
      this.#counted = new Map();
      await addUses(this.#sql, [...counted.values()]).catch(() => this.#takeBack(counted));
    });
    return this.#writing;
  }

  #takeBack(counted: ReadonlyMap<string, CountedUse>): void {
    for (const [key, use] of counted) {
      const since = this.#counted.get(key);
      this.#counted.set(key, {
        ...use,
        count: use.count + (since?.count ?? 0),
        lastUsed: since?.lastUsed ?? use.lastUsed,
      });
    }
  }
}

/** One for each server, which is written from when it is ready until it closes, and once more then. */
export function createDeprecatedUseCounter(server: FastifyInstance, sql: Sql): UseLedger {
  const ledger = new UseLedger(sql);
  let timer: NodeJS.Timeout | undefined;
  server.decorate('deprecatedUse', ledger);
  server.addHook('onReady', async () => {
    timer = setInterval(() => void ledger.write(), writtenEveryMs).unref();
  });
  server.addHook('onClose', async () => {
    clearInterval(timer);
    await ledger.write();
  });
  return ledger;
}

declare module 'fastify' {
  interface FastifyInstance {
    deprecatedUse: UseLedger;
  }
}
