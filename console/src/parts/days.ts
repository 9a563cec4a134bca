const dayMs = 86_400_000;

/** Days are those of UTC, as directories and figures have them. */
const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);
export const today = (): string => dayOf(new Date());
export const daysAfter = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * dayMs));
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs);
