export interface BreakerPolicy {
  /** Failures in a row that open it. */
  threshold: number;
  /** How long it first stays open; doubled each time the probe fails. */
  firstPauseMs: number;
  maxPauseMs: number;
}

/** How a directory has been doing lately. */
export interface Standing {
  failures: number;
  trips: number;
  openUntil: number;
}

export const sound: Standing = { failures: 0, trips: 0, openUntil: 0 };

/** What one more answer, or the lack of one, makes of it. Times are in milliseconds. */
export function observe(policy: BreakerPolicy, standing: Standing, answered: boolean, now: number): Standing {
  if (answered) return sound;
  const failures = standing.failures + 1;
  // Calls that were under way when it opened tell nothing new.
  if (failures < policy.threshold || standing.openUntil > now) return { ...standing, failures };
  const pause = Math.min(policy.maxPauseMs, policy.firstPauseMs * 2 ** standing.trips);
  return { failures, trips: standing.trips + 1, openUntil: now + pause };
}
