import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/connection.ts';
import type { Sealer } from '../signing/sealer.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { loadTargets, type Target } from './target.ts';

// Opened keys of destinations that were not used lately need not stay in memory.
const mostRemembered = 5000;

/** Remembers targets by revision: a change of URL, secret or key is seen by the very next try. */
export class TargetMemory {
  readonly #sql: Sql;
  readonly #sealer: Sealer;
  readonly #known = new LRUCache<number, Target>({ max: mostRemembered });

  constructor(sql: Sql, sealer: Sealer) {
    this.#sql = sql;
    this.#sealer = sealer;
  }

  /** The target of deliveries of one webhook. */
  async of([first]: readonly Pick<DueDelivery, 'webhookId' | 'revision'>[]): Promise<Target | undefined> {
    if (!first) return undefined;
    const known = this.#known.get(first.webhookId);
    if (known && known.revision >= first.revision) return known;
    const [loaded] = await loadTargets(this.#sql, this.#sealer, [first.webhookId]);
    if (loaded) this.#known.set(first.webhookId, loaded);
    return loaded;
  }
}
