import type { Outcome } from '../transport/outcome.ts';

export interface RetryPolicy {
  /** Seconds to wait before each retry; when it is used up the event is discarded for that webhook. */
  schedule: readonly number[];
  /** 0.2 spreads every wait by up to 20 % either way. */
  jitter: number;
  /** The longest wait, in seconds, that a receiver may ask for with Retry-After. */
  retryAfterMax: number;
}

export type Verdict =
  | { state: 'DELIVERED' }
  | { state: 'RETRY'; dueAt: Date }
  | { state: 'DISCARDED'; reason: 'gone' | 'attempts-used-up' };

/** What becomes of a delivery after its nth try (counted from 1). */
export function judge(
  policy: RetryPolicy,
  attempt: number,
  outcome: Outcome,
  { now, random }: { now: Date; random: number },
): Verdict {
  if (outcome.kind === 'delivered') return { state: 'DELIVERED' };
  if (outcome.kind === 'gone') return { state: 'DISCARDED', reason: 'gone' };
  const planned = policy.schedule[attempt - 1];
  if (planned === undefined) return { state: 'DISCARDED', reason: 'attempts-used-up' };
  const spread = planned * (1 + policy.jitter * (2 * random - 1));
  const asked = outcome.kind === 'refused' ? (outcome.retryAfterSeconds ?? 0) : 0;
  const wait = Math.max(spread, Math.min(asked, policy.retryAfterMax));
  return { state: 'RETRY', dueAt: new Date(now.getTime() + Math.round(wait * 1000)) };
}
