import { LRUCache } from 'lru-cache';
import type { Outcome } from '../transport/outcome.ts';
import type { Verdict } from './retry-policy.ts';

/** Seconds until the next attempt after a local failure. */
const minLocalWait = 5;
const maxLocalWait = 300;
const remembered = { max: 5000, ttl: 3_600_000 };

/** Postpones deliveries after local failures. The wait doubles while all attempts of a webhook fail locally. */
export class LocalFailures {
  readonly #now: () => number;
  readonly #waits = new LRUCache<number, { seconds: number; until: number }>(remembered);

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined if the failure is not a local one. */
  judge(webhookId: number, outcome: Outcome): Verdict | undefined {
    if (outcome.kind !== 'unreachable' || !outcome.isLocalFailure) {
      if (this.#waits.size > 0) this.#waits.delete(webhookId);
      return undefined;
    }
    const now = this.#now();
    let wait = this.#waits.get(webhookId);
    // Requests that were in flight together fail together: they count once.
    if (!wait || now >= wait.until) {
      const seconds = wait ? Math.min(2 * wait.seconds, maxLocalWait) : minLocalWait;
      wait = { seconds, until: now + seconds * 1000 };
      this.#waits.set(webhookId, wait);
    }
    return { state: 'POSTPONED', waitSeconds: wait.seconds };
  }
}
