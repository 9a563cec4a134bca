const minute = 60_000;
const hour = 60 * minute;

/** Exponential backoff from 2 minutes to 4 hours, with 20 % jitter. `random` is from 0 to 1. */
export function recheckAfterOutage(failedChecks: number, now: Date, random: number): Date {
  const wait = Math.min(2 * minute * 2 ** Math.max(0, failedChecks - 1), 4 * hour);
  return new Date(now.getTime() + wait * (0.8 + 0.4 * random));
}

export const recheckAfterLimit = (retryAfterSeconds: number, now: Date, random: number): Date =>
  new Date(now.getTime() + 1000 * Math.max(1, retryAfterSeconds) * (1 + 0.2 * random));

/** Reviews take minutes or days, so the interval grows with the time elapsed, from 1 minute to 6 hours. */
export function recheckDuringReview(since: Date | null, now: Date): Date {
  const elapsed = now.getTime() - (since ?? now).getTime();
  return new Date(now.getTime() + Math.min(Math.max(elapsed, minute), 6 * hour));
}
