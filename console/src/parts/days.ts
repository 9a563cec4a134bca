import { dayOf, lengthOf } from '../../../src/values/calendar.ts';

export { daysAfter } from '../../../src/values/calendar.ts';

/** Days are UTC days, as in the API. */
export const today = (): string => dayOf(new Date());
export const daysBetween = (from: string, to: string): number => lengthOf({ from, to }) - 1;
