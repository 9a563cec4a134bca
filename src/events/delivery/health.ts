import { afterFailures, type BreakerPolicy, closedBreaker } from '../../breaker.ts';

/** Health of a destination; a row of webhook_health. */
export interface Health {
  window: number;
  consecutiveFailures: number;
  failingSince: Date | null;
  trips: number;
  openUntil: Date | null;
}

export interface HealthPolicy extends BreakerPolicy {
  maxWindow: number;
}

/** Results of a batch of attempts for one destination. */
export interface Observation {
  quick: number;
  slow: number;
  failed: number;
}

/** While the breaker is open, deliveries wait without using up attempts. */
export function observe(policy: HealthPolicy, health: Health, seen: Observation, now: Date): Health {
  const window = nextWindow(health.window, policy.maxWindow, seen);
  if (seen.quick + seen.slow > 0) return { ...closedBreaker, window, failingSince: null, openUntil: null };
  const { consecutiveFailures, trips, openUntil } = health;
  const state = { consecutiveFailures, trips, openUntil: openUntil?.getTime() ?? null };
  const next = afterFailures(policy, state, seen.failed, now.getTime());
  return {
    ...next,
    window,
    failingSince: health.failingSince ?? now,
    openUntil: next.openUntil === null ? null : new Date(next.openUntil),
  };
}

/** True when the batch does not change the health, so that no row has to be written. */
export function isUnchanged(policy: HealthPolicy, health: Health, seen: Observation): boolean {
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
