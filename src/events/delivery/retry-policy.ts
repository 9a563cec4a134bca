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

/** Decides the state of a delivery after the given attempt (1 is the first), unless it failed locally (see `LocalFailures`). */
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
