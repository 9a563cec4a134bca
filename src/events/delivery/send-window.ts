/** How many deliveries of a webhook may be claimed at once before anything is known of its destination. */
export const initialWindow = 8;

/** An answer slower than this is a success that should not be given more to do at once. */
export const quickAnswerMs = 1000;

/**
 * The window opens like a new connection's: it doubles with quick successes and halves when most tries fail.
 * A destination that hangs therefore holds a handful of a worker's slots, not all of them.
 */
export function nextWindow(window: number, max: number, seen: { quick: number; slow: number; failed: number }): number {
  if (seen.failed > seen.quick + seen.slow) return Math.max(1, Math.floor(window / 2));
  if (seen.slow > 0) return Math.min(window, initialWindow);
  return Math.min(max, window * 2);
}
