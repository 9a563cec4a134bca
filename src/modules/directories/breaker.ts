export interface BreakerPolicy {
  /** Consecutive failures that open the breaker. */
  threshold: number;
  /** Doubled each time the probe fails. */
  firstPauseMs: number;
  maxPauseMs: number;
}

export interface BreakerState {
  failures: number;
  trips: number;
  openUntil: number;
}

export const closedBreaker: BreakerState = { failures: 0, trips: 0, openUntil: 0 };

/** Times are in milliseconds. */
export function nextBreakerState(
  policy: BreakerPolicy,
  state: BreakerState,
  succeeded: boolean,
  now: number,
): BreakerState {
  if (succeeded) return closedBreaker;
  const failures = state.failures + 1;
  // Failures of calls that were in flight when the breaker opened do not extend the pause.
  if (failures < policy.threshold || state.openUntil > now) return { ...state, failures };
  const pause = Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** state.trips);
  return { failures, trips: state.trips + 1, openUntil: now + pause };
}
