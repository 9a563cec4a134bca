/** Relative activity per hour of the day (UTC), 1 on average. */
const hours = [
  0.17, 0.09, 0.06, 0.06, 0.09, 0.23, 0.51, 0.8, 0.97, 1.08, 1.19, 1.42, 1.59, 1.48, 1.31, 1.25, 1.36, 1.59, 1.82, 1.99,
  1.93, 1.53, 0.91, 0.57,
];

/** Sunday first. */
const days = [1.15, 0.9, 0.85, 0.88, 0.95, 1.1, 1.17];

export function activityLevel(time: number): number {
  const date = new Date(time);
  return (hours[date.getUTCHours()] as number) * (days[date.getUTCDay()] as number);
}

export const maxActivityLevel = Math.max(...hours) * Math.max(...days);
