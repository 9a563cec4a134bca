export interface BreakerPolicy {
  /** Consecutive failures that open the breaker. */
  threshold: number;
  /** Seconds that the breaker first stays open; doubled after each failed probe. */
  firstPause: number;
  maxPause: number;
}

export interface BreakerState {
  consecutiveFailures: number;
  /** How often the breaker has opened since the last success. */
  trips: number;
  /** In milliseconds, by the clock of the caller. */
  openUntil: number | null;
}

/** The state after a success. */
export const closedBreaker: BreakerState = { consecutiveFailures: 0, trips: 0, openUntil: null };

export const isOpen = ({ openUntil }: BreakerState, now: number): boolean => openUntil !== null && openUntil > now;

/** After the pause the caller sends one probe: success closes the breaker, failure opens it for twice as long. */
export function afterFailures(policy: BreakerPolicy, state: BreakerState, failures: number, now: number): BreakerState {
  const consecutiveFailures = state.consecutiveFailures + failures;
  // Requests that were in flight when the breaker opened do not extend the pause.
  if (isOpen(state, now) || consecutiveFailures < policy.threshold) return { ...state, consecutiveFailures };
  const pause = Math.min(policy.maxPause, policy.firstPause * 2 ** state.trips);
  return { consecutiveFailures, trips: state.trips + 1, openUntil: now + pause * 1000 };
}
