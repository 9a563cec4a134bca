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
  | { state: 'RETRY'; waitSeconds: number }
  /** It was not sent, through no fault of its receiver; its attempts are not counted. */
  | { state: 'POSTPONED'; waitSeconds: number }
  | { state: 'DISCARDED'; reason: 'gone' | 'attempts-used-up' };

/** Seconds until a delivery is tried that this process could not send. */
const ownFaultWait = 5;

/** What becomes of a delivery after its nth try (counted from 1). */
export function judge(policy: RetryPolicy, attempt: number, outcome: Outcome, random: number): Verdict {
  if (outcome.kind === 'delivered') return { state: 'DELIVERED' };
  if (outcome.kind === 'unreachable' && outcome.isOwnFault) return { state: 'POSTPONED', waitSeconds: ownFaultWait };
  if (outcome.kind === 'gone') return { state: 'DISCARDED', reason: 'gone' };
  const planned = policy.schedule[attempt - 1];
  if (planned === undefined) return { state: 'DISCARDED', reason: 'attempts-used-up' };
  const spread = planned * (1 + policy.jitter * (2 * random - 1));
  const asked = outcome.kind === 'refused' ? (outcome.retryAfterSeconds ?? 0) : 0;
  const wait = Math.max(spread, Math.min(asked, policy.retryAfterMax));
  return { state: 'RETRY', waitSeconds: Math.round(wait * 1000) / 1000 };
}
