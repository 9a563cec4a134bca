import { dayMinutes, type OpeningHours, type Periods, type SpecialOpeningHours, spans } from './hours.ts';

export interface Hours {
  timeZone: string | null;
  temporarilyClosed: boolean;
  openingHours?: readonly OpeningHours[] | undefined;
  specialOpeningHours?: readonly SpecialOpeningHours[] | undefined;
  /** YYYY-MM-DD; closed before this day. */
  openingDate?: string | undefined;
}

/**
 * Whether a location is open, by local time; undefined when unknown. A period in a skipped DST hour is empty; in a
 * repeated hour the first pass counts. A period past midnight belongs to the day on which it starts.
 */
export function openAt(now: Date): (hours: Hours) => boolean | undefined {
  const clocks = new Map<string, WallTime>();
  return (hours) => {
    if (hours.temporarilyClosed) return false;
    if (hours.timeZone === null) return undefined;
    const clock = clocks.get(hours.timeZone) ?? latestWallTime(hours.timeZone, now);
    clocks.set(hours.timeZone, clock);
    return isOpenBy(hours, clock);
  };
}

function isOpenBy(hours: Hours, { day, minute }: WallTime): boolean | undefined {
  const today = periodsOn(hours, day);
  const yesterday = periodsOn(hours, day - 1);
  const covers = (periods: Periods | undefined, time: number) =>
    periods !== undefined && spans(periods).some(({ start, end }) => start <= time && time < end);
  if (covers(today, minute) || covers(yesterday, minute + dayMinutes)) return true;
  return today === undefined ? undefined : false;
}

const closed: Periods = { closed: true };

/** Undefined without weekly hours and without special hours for the day. */
function periodsOn({ openingHours = [], specialOpeningHours = [], openingDate }: Hours, day: number) {
  const date = dateOf(day);
  if (openingDate !== undefined && date < openingDate) return closed;
  const special = specialOpeningHours.find((entry) => entry.date === date);
  if (special) return special;
  if (openingHours.length === 0) return undefined;
  return openingHours.find(({ dayOfWeek }) => dayOfWeek === dayOfWeekOf(day)) ?? closed;
}

const dateOf = (day: number) => new Date(day * dayMinutes * 60_000).toISOString().slice(0, 10);

/** 1970-01-01 was a Thursday, day 4. */
const dayOfWeekOf = (day: number) => ((((day + 3) % 7) + 7) % 7) + 1;

/** Local date and hours of today; undefined when unknown. */
export function hoursToday(hours: Hours, now: Date): { date: string; periods: Periods } | undefined {
  if (hours.timeZone === null || hours.temporarilyClosed) return undefined;
  const { day } = latestWallTime(hours.timeZone, now);
  const periods = periodsOn(hours, day);
  return periods && { date: dateOf(day), periods };
}

/** Local time. */
interface WallTime {
  /** Days since 1970-01-01, local date. */
  day: number;
  /** Minutes since local midnight. */
  minute: number;
}

const minuteMs = 60_000;
const lookBackMs = 3 * 60 * minuteMs;

/** By the name in lower case: time zones are accepted in any case. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const key = zone.toLowerCase();
  const known = clocks.get(key);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  clocks.set(key, clock);
  return clock;
}

/** Local time as minutes since 1970-01-01. */
function wallMinutesAt(zone: string, moment: number): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of clockOf(zone).formatToParts(moment)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute) / minuteMs;
}

/**
 * The latest local time reached so far. It differs from the current local time only in the hour that is repeated when
 * clocks go back, so that the second pass does not undo an opening or closing of the first.
 */
function latestWallTime(zone: string, now: Date): WallTime {
  const minute = Math.floor(now.getTime() / minuteMs) * minuteMs;
  const current = wallMinutesAt(zone, minute);
  const latest = Math.max(current, beforeClocksWentBack(zone, minute, current));
  const day = Math.floor(latest / dayMinutes);
  return { day, minute: latest - day * dayMinutes };
}

/** Local time when the clock was last set back, if within the last 3 hours. `current` is the local time of `now`. */
function beforeClocksWentBack(zone: string, now: number, current: number): number {
  const offsetMinutes = (moment: number) => wallMinutesAt(zone, moment) - moment / minuteMs;
  const was = offsetMinutes(now - lookBackMs);
  if (was <= current - now / minuteMs) return Number.NEGATIVE_INFINITY;
  let [before, after] = [now - lookBackMs, now];
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (offsetMinutes(middle) === was) before = middle;
    else after = middle;
  }
  return wallMinutesAt(zone, before);
}
