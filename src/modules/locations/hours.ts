import Type, { type Static } from 'typebox';
import type { FieldError } from '../../problems.ts';
import { daysAfter, isDay } from '../../values/days.ts';

const time = (description: string) =>
  Type.Optional(Type.String({ pattern: '^(([01]?\\d|2[0-3]):[0-5]\\d|24:00)$', description }));

const periods = {
  closed: Type.Optional(Type.Boolean({ description: 'Closed on this day; then without times' })),
  from1: time('A time of the day such as 08:30'),
  to1: time('A time of the day such as 18:00; one before from1 is past midnight'),
  from2: time('Start of the second period of the day'),
  to2: time('End of the second period of the day'),
};

export const OpeningHours = Type.Object({
  dayOfWeek: Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday, 7 is Sunday' }),
  ...periods,
});
export type OpeningHours = Static<typeof OpeningHours>;

const isoDay = '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$';

export const Day = Type.String({ pattern: isoDay, description: 'A date such as 2026-12-24' });

export const SpecialOpeningHours = Type.Object({ date: Day, ...periods });
export type SpecialOpeningHours = Static<typeof SpecialOpeningHours>;

export type Periods = Omit<OpeningHours, 'dayOfWeek'>;

/** What was checked: in the form in which it is kept, or what is wrong with it. */
export type Checked<T> = { value: T } | { errors: FieldError[] };

export const dayMinutes = 24 * 60;

/** Opening hours of a week: each day once, at most two periods a day, none overlapping another, also past midnight. */
export function checkOpeningHours(given: readonly OpeningHours[]): Checked<OpeningHours[]> {
  const errors = given.flatMap((hours, index) => periodErrors(hours, `openingHours[${index}]`));
  const twice = firstRepeated(given.map(({ dayOfWeek }) => dayOfWeek));
  if (twice >= 0) errors.push(dayTwice(`openingHours[${twice}].dayOfWeek`, `Day ${given[twice]?.dayOfWeek}`));
  if (errors.length > 0) return { errors };
  const value = given
    .map((hours): OpeningHours => ({ dayOfWeek: hours.dayOfWeek, ...canonical(hours) }))
    .sort((a, b) => a.dayOfWeek - b.dayOfWeek);
  const spills = value.flatMap((day) => {
    const spill = endOf(day) - dayMinutes;
    const next = spill > 0 ? value.find(({ dayOfWeek }) => dayOfWeek === (day.dayOfWeek % 7) + 1) : undefined;
    return next && spill > startOf(next) ? [spillsOver(day.dayOfWeek, next.dayOfWeek)] : [];
  });
  return spills.length > 0 ? { errors: spills } : { value };
}

/** Hours of single days, such as holidays, in the place of those of the week. */
export function checkSpecialOpeningHours(given: readonly SpecialOpeningHours[]): Checked<SpecialOpeningHours[]> {
  const errors = given.flatMap((hours, index) => {
    const field = `specialOpeningHours[${index}]`;
    return isDay(hours.date) ? periodErrors(hours, field) : [noSuchDay(`${field}.date`, hours.date)];
  });
  const twice = firstRepeated(given.map(({ date }) => date));
  if (twice >= 0) errors.push(dayTwice(`specialOpeningHours[${twice}].date`, String(given[twice]?.date)));
  if (errors.length > 0) return { errors };
  const value = given
    .map((hours): SpecialOpeningHours => ({ date: hours.date, ...canonical(hours) }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  const spills = value.flatMap((day, index) => {
    const next = value[index + 1];
    const follows = next !== undefined && daysAfter(day.date, 1) === next.date;
    return follows && endOf(day) - dayMinutes > startOf(next) ? [specialSpillsOver(day.date, next.date)] : [];
  });
  return spills.length > 0 ? { errors: spills } : { value };
}

export const noSuchDay = (field: string, day: string): FieldError => ({
  field,
  rule: 'date',
  message: `${field} must be a day of the calendar as YYYY-MM-DD, not ${day}.`,
});

const known = new Set(['dayOfWeek', 'date', 'closed', 'from1', 'to1', 'from2', 'to2']);
const furtherPeriod = /^(from|to)\d+$/;

function periodErrors(hours: Periods, field: string): FieldError[] {
  const say = (name: string, rule: string, message: string): FieldError[] => [
    { field: `${field}.${name}`, rule, message },
  ];
  for (const name in hours) {
    if (known.has(name) || !furtherPeriod.test(name)) continue;
    return say(name, 'maxPeriods', `${field} has more than two periods. A day has at most two.`);
  }
  const { closed, from1, to1, from2, to2 } = hours;
  const hasTimes = from1 !== undefined || to1 !== undefined || from2 !== undefined || to2 !== undefined;
  if (closed && hasTimes) {
    return say('closed', 'closedWithTimes', `${field} is closed and has times. Leave out the times, or closed.`);
  }
  if (closed) return [];
  if (!hasTimes) return say('from1', 'required', `${field} needs from1 and to1, or closed: true.`);
  const wrong = periodError(from1, to1, 1, field) ?? periodError(from2, to2, 2, field);
  if (wrong) return say(...wrong);
  const [first, second] = spans(hours);
  if (first && second && second.start < first.end) {
    return say('from2', 'overlap', `The two periods of ${field} overlap. Make them one, or let one end first.`);
  }
  return [];
}

function periodError(
  from: string | undefined,
  to: string | undefined,
  number: 1 | 2,
  field: string,
): [name: string, rule: string, message: string] | undefined {
  if (from === undefined && to === undefined && number === 2) return undefined;
  if (from === undefined) return [`from${number}`, 'required', `${field} needs from${number} as well.`];
  if (to === undefined) return [`to${number}`, 'required', `${field} needs to${number} as well.`];
  const start = minutes(from);
  if (start === dayMinutes) {
    return [`from${number}`, 'time', `${field}.from${number} must be 00:00 to 23:59, not 24:00.`];
  }
  if (start !== minutes(to) || start === 0) return undefined;
  return [`to${number}`, 'empty', `${field} opens and closes at ${from}. All day is 00:00 to 24:00.`];
}

interface Span {
  start: number;
  end: number;
}

/** In minutes from the day's beginning; the end of one that goes past midnight is beyond the day. */
export function spans({ from1, to1, from2, to2 }: Periods): Span[] {
  const first = span(from1, to1);
  const second = span(from2, to2);
  if (!first || !second) return first ? [first] : second ? [second] : [];
  return first.start <= second.start ? [first, second] : [second, first];
}

function span(from: string | undefined, to: string | undefined): Span | undefined {
  if (from === undefined || to === undefined) return undefined;
  const start = minutes(from);
  const end = minutes(to);
  return { start, end: end <= start ? end + dayMinutes : end };
}

const startOf = (hours: Periods) => spans(hours)[0]?.start ?? Number.POSITIVE_INFINITY;
const endOf = (hours: Periods) => spans(hours).at(-1)?.end ?? 0;

/** The earlier period first, hours with two digits, and nothing else. */
function canonical({ closed, from1, to1, from2, to2 }: Periods): Periods {
  if (closed || from1 === undefined || to1 === undefined) return { closed: true };
  const first = { from1: clock(from1), to1: clock(to1) };
  if (from2 === undefined || to2 === undefined) return first;
  if (minutes(from1) <= minutes(from2)) return { ...first, from2: clock(from2), to2: clock(to2) };
  return { from1: clock(from2), to1: clock(to2), from2: first.from1, to2: first.to1 };
}

const clock = (time: string) => (time.length < 5 ? `0${time}` : time);

/** Of `8:30` and `08:30`. Called ten times for each location of an import: by character codes it costs a tenth. */
function minutes(time: string): number {
  const digit = (fromEnd: number) => time.charCodeAt(time.length - fromEnd) - 48;
  const tens = time.length > 4 ? digit(5) : 0;
  return (tens * 10 + digit(4)) * 60 + digit(2) * 10 + digit(1);
}

function firstRepeated(values: readonly unknown[]): number {
  return new Set(values).size === values.length
    ? -1
    : values.findIndex((value, index) => values.indexOf(value) < index);
}

const dayTwice = (field: string, day: string): FieldError => ({
  field,
  rule: 'unique',
  message: `${day} is given twice. Put both periods of a day into one entry.`,
});

const spillsOver = (day: number, next: number): FieldError => ({
  field: 'openingHours',
  rule: 'overlap',
  message: `Day ${day} is open past midnight until after day ${next} opens. Let one end before the other begins.`,
});

const specialSpillsOver = (day: string, next: string): FieldError => ({
  field: 'specialOpeningHours',
  rule: 'overlap',
  message: `${day} is open past midnight until after ${next} opens. Let one end before the other begins.`,
});
