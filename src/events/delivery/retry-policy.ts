import { LRUCache } from 'lru-cache';
import type { Outcome } from '../transport/outcome.ts';

export interface RetryPolicy {
  /** Seconds to wait before each retry. After the last one the delivery is discarded. */
  schedule: readonly number[];
  /** 0.2 varies each wait by up to ±20 %. */
  jitter: number;
  /** Upper limit for Retry-After, in seconds. */
  retryAfterMax: number;
}

export type Verdict =
  | { state: 'DELIVERED' }
  | { state: 'RETRY'; waitSeconds: number }
  /** Not sent because of a local failure; does not count as an attempt. */
  | { state: 'POSTPONED'; waitSeconds: number }
  | { state: 'DISCARDED'; reason: 'gone' | 'attempts-used-up' };

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

/** Decides the state of a delivery after the given attempt (1 is the first), unless it failed locally. */
export function judge(policy: RetryPolicy, attempt: number, outcome: Outcome, random: number): Verdict {
  if (outcome.kind === 'delivered') return { state: 'DELIVERED' };
  if (outcome.kind === 'gone') return { state: 'DISCARDED', reason: 'gone' };
  const planned = policy.schedule[attempt - 1];
  if (planned === undefined) return { state: 'DISCARDED', reason: 'attempts-used-up' };
  const spread = planned * (1 + policy.jitter * (2 * random - 1));
  const asked = 'retryAfterSeconds' in outcome ? (outcome.retryAfterSeconds ?? 0) : 0;
  const wait = Math.max(spread, Math.min(asked, policy.retryAfterMax));
  return { state: 'RETRY', waitSeconds: Math.round(wait * 1000) / 1000 };
}
