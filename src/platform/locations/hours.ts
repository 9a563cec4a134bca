import Type, { type Static } from 'typebox';
import type { FieldError } from '../../problems.ts';

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

type Periods = Omit<OpeningHours, 'dayOfWeek'>;

/** What was checked: in the form in which it is kept, or what is wrong with it. */
export type Checked<T> = { value: T } | { errors: FieldError[] };

const dayMinutes = 24 * 60;

/** Opening hours of a week: each day once, at most two periods a day, none overlapping another, also past midnight. */
export function checkOpeningHours(given: readonly OpeningHours[]): Checked<OpeningHours[]> {
  const errors = given.flatMap((hours, index) => periodErrors(hours, `openingHours[${index}]`));
  const twice = given.findIndex(
    ({ dayOfWeek }, index) => given.findIndex((day) => day.dayOfWeek === dayOfWeek) < index,
  );
  if (twice >= 0) errors.push(dayTwice(`openingHours[${twice}].dayOfWeek`, `Day ${given[twice]?.dayOfWeek}`));
  if (errors.length > 0) return { errors };
  const value = given
    .map(({ dayOfWeek, ...hours }) => ({ dayOfWeek, ...canonical(hours) }))
    .sort((a, b) => a.dayOfWeek - b.dayOfWeek);
  const spills = value.flatMap((day, index) => {
    const next = value[(index + 1) % value.length];
    const follows = next && next !== day && next.dayOfWeek === (day.dayOfWeek % 7) + 1;
    return follows && endOf(day) - dayMinutes > startOf(next) ? [spillsOver(day.dayOfWeek, next.dayOfWeek)] : [];
  });
  return spills.length > 0 ? { errors: spills } : { value };
}

/** Hours of single days, such as holidays, in the place of those of the week. */
export function checkSpecialOpeningHours(given: readonly SpecialOpeningHours[]): Checked<SpecialOpeningHours[]> {
  const errors = given.flatMap((hours, index) => {
    const field = `specialOpeningHours[${index}]`;
    return isRealDay(hours.date) ? periodErrors(hours, field) : [noSuchDay(`${field}.date`, hours.date)];
  });
  const twice = given.findIndex(({ date }, index) => given.findIndex((day) => day.date === date) < index);
  if (twice >= 0) errors.push(dayTwice(`specialOpeningHours[${twice}].date`, String(given[twice]?.date)));
  if (errors.length > 0) return { errors };
  const value = given
    .map(({ date, ...hours }) => ({ date, ...canonical(hours) }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  return { value };
}

export const isRealDay = (day: string): boolean => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

export const noSuchDay = (field: string, day: string): FieldError => ({
  field,
  rule: 'date',
  message: `${field} must be a day of the calendar as YYYY-MM-DD, not ${day}.`,
});

function periodErrors(hours: Periods, field: string): FieldError[] {
  const say = (name: string, rule: string, message: string): FieldError[] => [
    { field: name === '' ? field : `${field}.${name}`, rule, message },
  ];
  const third = Object.keys(hours).find((name) => /^(from|to)([3-9]|\d\d)$/.test(name));
  if (third) return say(third, 'maxPeriods', `${field} has more than two periods. A day has at most two.`);
  const { closed, from1, to1, from2, to2 } = hours;
  const times = [from1, to1, from2, to2].filter((time) => time !== undefined);
  if (closed && times.length > 0) {
    return say('closed', 'closedWithTimes', `${field} is closed and has times. Leave out the times, or closed.`);
  }
  if (closed) return [];
  if (times.length === 0) return say('from1', 'required', `${field} needs from1 and to1, or closed: true.`);
  for (const [from, to, number] of [
    [from1, to1, 1],
    [from2, to2, 2],
  ] as const) {
    if (from === undefined && to === undefined && number === 2) continue;
    if (from === undefined) return say(`from${number}`, 'required', `${field} needs from${number} as well.`);
    if (to === undefined) return say(`to${number}`, 'required', `${field} needs to${number} as well.`);
    if (minutes(from) === dayMinutes) {
      return say(`from${number}`, 'time', `${field}.from${number} must be 00:00 to 23:59, not 24:00.`);
    }
    if (minutes(from) === minutes(to) && minutes(from) !== 0) {
      return say(`to${number}`, 'empty', `${field} opens and closes at ${from}. All day is 00:00 to 24:00.`);
    }
  }
  const [first, second] = spans(hours);
  if (first && second && second.start < first.end) {
    return say('from2', 'overlap', `The two periods of ${field} overlap. Make them one, or let one end first.`);
  }
  return [];
}

/** In minutes from the day's beginning; the end of one that goes past midnight is beyond the day. */
function spans({ from1, to1, from2, to2 }: Periods): { start: number; end: number }[] {
  const span = (from?: string, to?: string) => {
    if (from === undefined || to === undefined) return [];
    const [start, end] = [minutes(from), minutes(to)];
    return [{ start, end: end <= start ? end + dayMinutes : end }];
  };
  return [...span(from1, to1), ...span(from2, to2)].sort((a, b) => a.start - b.start);
}

const startOf = (hours: Periods) => spans(hours)[0]?.start ?? Number.POSITIVE_INFINITY;
const endOf = (hours: Periods) => Math.max(0, ...spans(hours).map(({ end }) => end));

function canonical({ closed, from1, to1, from2, to2 }: Periods): Periods {
  if (closed) return { closed: true };
  const given = { from1, to1, from2, to2 };
  const swapped = from1 !== undefined && from2 !== undefined && minutes(from2) < minutes(from1);
  const ordered = swapped ? { from1: from2, to1: to2, from2: from1, to2: to1 } : given;
  return Object.fromEntries(
    Object.entries(ordered).flatMap(([name, time]) => (time === undefined ? [] : [[name, time.padStart(5, '0')]])),
  );
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
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
