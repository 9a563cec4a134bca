import { dayOf, lengthOf } from '../../../src/values/calendar.ts';

export { daysAfter } from '../../../src/values/calendar.ts';

/** Days are those of UTC, as directories and figures have them. */
export const today = (): string => dayOf(new Date());
export const daysBetween = (from: string, to: string): number => lengthOf({ from, to }) - 1;
