/** Deliveries of a webhook that may be claimed at once before its destination has responded. */
export const initialWindow = 8;

/** Successful responses slower than this do not widen the window. */
export const quickResponseMs = 1000;

/**
 * Similar to TCP slow start: the window doubles after quick successes and halves when most attempts fail, so a
 * hanging destination occupies only a few of the worker's slots.
 */
export function nextWindow(window: number, max: number, seen: { quick: number; slow: number; failed: number }): number {
  if (seen.failed > seen.quick + seen.slow) return Math.max(1, Math.floor(window / 2));
  if (seen.slow > 0) return Math.min(window, initialWindow);
  return Math.min(max, window * 2);
}
