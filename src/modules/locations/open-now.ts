import { dayMinutes, type OpeningHours, type Periods, type SpecialOpeningHours, spans } from './hours.ts';
import { latestWallTime, type WallTime } from './wall-clock.ts';

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
