import { nextWindow } from './send-window.ts';

/** How a destination stands; a row of webhook_health. */
export interface Health {
  window: number;
  consecutiveFailures: number;
  failingSince: Date | null;
  trips: number;
  openUntil: Date | null;
}

export interface BreakerPolicy {
  /** Failures in a row that open the breaker. */
  threshold: number;
  /** Seconds that it first stays open; doubled each time the probe fails. */
  firstPause: number;
  maxPause: number;
  maxWindow: number;
}

/** What a batch of settled attempts showed of one destination. */
export interface Observation {
  quick: number;
  slow: number;
  failed: number;
}

/**
 * A destination that keeps failing is left alone for a while: its deliveries wait without spending attempts.
 * After the pause one probe goes out; its answer closes the breaker or opens it for twice as long.
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
  // Requests that were under way when it opened tell nothing new.
  if (alreadyOpen || failing.consecutiveFailures < policy.threshold) return failing;
  const pause = Math.min(policy.maxPause, policy.firstPause * 2 ** health.trips);
  return { ...failing, trips: health.trips + 1, openUntil: new Date(now.getTime() + pause * 1000) };
}

/** Nothing to write for a destination in full swing that answered well once more. */
export function standsStill(policy: BreakerPolicy, health: Health, seen: Observation): boolean {
  return (
    seen.failed === 0 &&
    health.consecutiveFailures === 0 &&
    nextWindow(health.window, policy.maxWindow, seen) === health.window
  );
}
