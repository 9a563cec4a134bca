import { dayOf, lengthOf } from '../../../src/values/calendar.ts';

export { daysAfter } from '../../../src/values/calendar.ts';

/** Days are UTC days, as in the API. */
export const today = (): string => dayOf(new Date());
export const daysBetween = (from: string, to: string): number => lengthOf({ from, to }) - 1;

const two = (number: number) => String(number).padStart(2, '0');

/** The day in the time zone of the browser. */
export const localDay = (moment: Date): string =>
  `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;

/** The start and the end of a day in the time zone of the browser. */
export const startOfDay = (day: string): Date => new Date(`${day}T00:00:00`);
export const endOfDay = (day: string): Date => new Date(`${day}T23:59:59.999`);
