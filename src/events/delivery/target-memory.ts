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
  readonly #known = new Map<number, Target>();

  constructor(sql: Sql, sealer: Sealer) {
    this.#sql = sql;
    this.#sealer = sealer;
  }

  async of(due: readonly Pick<DueDelivery, 'webhookId' | 'revision'>[]): Promise<ReadonlyMap<number, Target>> {
    const unknown = new Set<number>();
    for (const { webhookId, revision } of due) {
      if ((this.#known.get(webhookId)?.revision ?? -1) < revision) unknown.add(webhookId);
    }
    if (unknown.size > 0) {
      if (this.#known.size + unknown.size > mostRemembered) this.#known.clear();
      for (const target of await loadTargets(this.#sql, this.#sealer, [...unknown])) {
        this.#known.set(target.webhookId, target);
      }
    }
    return this.#known;
  }
}
