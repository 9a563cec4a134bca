import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/connection.ts';
import type { Sealer } from '../signing/sealer.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { loadTargets, type Target } from './target.ts';

const maxCached = 5000;

/** Caches targets by revision: a change of URL, secret or key applies to the next attempt. */
export class TargetCache {
  readonly #sql: Sql;
  readonly #sealer: Sealer;
  readonly #cached = new LRUCache<number, Target>({ max: maxCached });

  constructor(sql: Sql, sealer: Sealer) {
    this.#sql = sql;
    this.#sealer = sealer;
  }

  /** All deliveries must be of the same webhook. */
  async get([first]: readonly Pick<DueDelivery, 'webhookId' | 'revision'>[]): Promise<Target | undefined> {
    if (!first) return undefined;
    const known = this.#cached.get(first.webhookId);
    if (known && known.revision >= first.revision) return known;
    const [loaded] = await loadTargets(this.#sql, this.#sealer, [first.webhookId]);
    if (loaded) this.#cached.set(first.webhookId, loaded);
    return loaded;
  }
}
