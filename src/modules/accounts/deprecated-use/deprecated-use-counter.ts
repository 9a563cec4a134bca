import type { FastifyInstance } from 'fastify';
import type { Sql } from '../../../database/connection.ts';
import type { CountedUse, DeprecatedUse } from './deprecated-use.ts';
import { addUses } from './deprecated-use-store.ts';

const flushIntervalMs = 10_000;

/**
 * Counts in memory and writes periodically: a client with deprecated usage sends it with every request, and a write per
 * request would contend for one row.
 */
class DeprecatedUseCounter {
  readonly #sql: Sql;
  #counts = new Map<string, CountedUse>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  count(use: DeprecatedUse, now = new Date()): void {
    const key = JSON.stringify([use.partnerId, use.version, use.name, use.replacedBy, now.toISOString().slice(0, 10)]);
    const known = this.#counts.get(key);
    this.#counts.set(key, { ...use, count: (known?.count ?? 0) + 1, lastUsed: now });
  }

  /** Counts that cannot be written are kept for the next flush. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(async () => {
      const counts = this.#counts;
      if (counts.size === 0) return;
      this.#counts = new Map();
      await addUses(this.#sql, [...counts.values()]).catch(() => this.#restore(counts));
    });
    return this.#flushing;
  }

  #restore(counts: ReadonlyMap<string, CountedUse>): void {
    for (const [key, use] of counts) {
      const since = this.#counts.get(key);
      this.#counts.set(key, {
        ...use,
        count: use.count + (since?.count ?? 0),
        lastUsed: since?.lastUsed ?? use.lastUsed,
      });
    }
  }
}

export function createDeprecatedUseCounter(server: FastifyInstance, sql: Sql): DeprecatedUseCounter {
  const counter = new DeprecatedUseCounter(sql);
  let timer: NodeJS.Timeout | undefined;
  server.decorate('deprecatedUse', counter);
  server.addHook('onReady', async () => {
    timer = setInterval(() => void counter.flush(), flushIntervalMs).unref();
  });
  server.addHook('onClose', async () => {
    clearInterval(timer);
    await counter.flush();
  });
  return counter;
}

declare module 'fastify' {
  interface FastifyInstance {
    deprecatedUse: DeprecatedUseCounter;
  }
}
