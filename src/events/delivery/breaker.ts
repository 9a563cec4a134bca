/** Health of a destination; a row of webhook_health. */
export interface Health {
  window: number;
  consecutiveFailures: number;
  failingSince: Date | null;
  trips: number;
  openUntil: Date | null;
}

export interface BreakerPolicy {
  /** Consecutive failures that open the breaker. */
  threshold: number;
  /** Seconds that the breaker first stays open; doubled after each failed probe. */
  firstPause: number;
  maxPause: number;
  maxWindow: number;
}

/** Results of a batch of attempts for one destination. */
export interface Observation {
  quick: number;
  slow: number;
  failed: number;
}

/**
 * While the breaker is open, deliveries wait without using up attempts. After the pause one probe is sent;
 * success closes the breaker, failure opens it for twice as long.
 */
export function observe(policy: BreakerPolicy, health: Health, seen: Observation, now: Date): Health {
  const window = nextWindow(health.window, policy.maxWindow, seen);
  if (seen.quick + seen.slow > 0) {
    return { window, consecutiveFailures: 0, failingSince: null, trips: 0, openUntil: null };
  }
  const failing = {
    window,
    consecutiveFailures: health.consecutiveFailures + seen.failed,
    failingSince: health.failingSince ?? now,
    trips: health.trips,
    openUntil: health.openUntil,
  };
  const alreadyOpen = health.openUntil !== null && health.openUntil > now;
  // Requests that were in flight when the breaker opened do not extend the pause.
  if (alreadyOpen || failing.consecutiveFailures < policy.threshold) return failing;
  const pause = Math.min(policy.maxPause, policy.firstPause * 2 ** health.trips);
  return { ...failing, trips: health.trips + 1, openUntil: new Date(now.getTime() + pause * 1000) };
}

/** True when the batch does not change the health, so that no row has to be written. */
export function isUnchanged(policy: BreakerPolicy, health: Health, seen: Observation): boolean {
  return (
    seen.failed === 0 &&
    health.consecutiveFailures === 0 &&
    nextWindow(health.window, policy.maxWindow, seen) === health.window
  );
}

/** Deliveries of a webhook that may be claimed at once before its destination has responded. */
export const initialWindow = 8;

/** Successful responses slower than this do not widen the window. */
export const quickResponseMs = 1000;

/**
 * Similar to TCP slow start: the window doubles after quick successes and halves when most attempts fail, so a
 * hanging destination occupies only a few of the worker's slots.
 */
export function nextWindow(window: number, max: number, seen: Observation): number {
  if (seen.failed > seen.quick + seen.slow) return Math.max(1, Math.floor(window / 2));
  if (seen.slow > 0) return Math.min(window, initialWindow);
  return Math.min(max, window * 2);
}
