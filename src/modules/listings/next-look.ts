/** When to look again, where that does not wait for the next round of checks. Dice are numbers from 0 to 1. */

const minute = 60_000;
const hour = 60 * minute;

/** A directory that was away is tried after 2 minutes, then at growing distances. */
export function afterOutage(failedChecks: number, now: Date, dice: number): Date {
  const wait = Math.min(2 * minute * 2 ** Math.max(0, failedChecks - 1), 4 * hour);
  return new Date(now.getTime() + wait * (0.8 + 0.4 * dice));
}

export const afterLimit = (retryAfterSeconds: number, now: Date, dice: number): Date =>
  new Date(now.getTime() + 1000 * Math.max(1, retryAfterSeconds) * (1 + 0.2 * dice));

/** Reviews take minutes or days: the longer it takes, the less often it is looked at. */
export function whileUnderReview(since: Date | null, now: Date): Date {
  const taken = now.getTime() - (since ?? now).getTime();
  return new Date(now.getTime() + Math.min(Math.max(taken, minute), 6 * hour));
}
