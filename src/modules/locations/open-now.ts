import { dayMinutes, type OpeningHours, type Periods, type SpecialOpeningHours, spans } from './hours.ts';
import { latestShown, type WallTime } from './wall-clock.ts';

/** What decides whether a location is open. */
export interface Hours {
  timeZone: string | null;
  temporarilyClosed: boolean;
  openingHours?: readonly OpeningHours[] | undefined;
  specialOpeningHours?: readonly SpecialOpeningHours[] | undefined;
  /** YYYY-MM-DD; closed before that day. */
  openingDate?: string | undefined;
}

/**
 * Whether locations are open at a moment, each by the clock on its own wall; nothing when nobody can know. A period
 * begins and ends when that clock first shows its time or a later one: one that lies in an hour which clocks skip is
 * over before it began, and one that ends in an hour which comes twice ends once. What goes past midnight belongs to
 * the day it began on, also when the next day has special hours or is closed.
 */
export function openAt(now: Date): (hours: Hours) => boolean | undefined {
  const clocks = new Map<string, WallTime>();
  return (hours) => {
    if (hours.temporarilyClosed) return false;
    if (hours.timeZone === null) return undefined;
    const clock = clocks.get(hours.timeZone) ?? latestShown(hours.timeZone, now);
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

/** Nothing where the hours do not say: no hours of the week, and none of that day. */
function periodsOn({ openingHours = [], specialOpeningHours = [], openingDate }: Hours, day: number) {
  const date = dateOf(day);
  if (openingDate !== undefined && date < openingDate) return closed;
  const special = specialOpeningHours.find((entry) => entry.date === date);
  if (special) return special;
  if (openingHours.length === 0) return undefined;
  return openingHours.find(({ dayOfWeek }) => dayOfWeek === dayOfWeekOf(day)) ?? closed;
}

const dateOf = (day: number) => new Date(day * dayMinutes * 60_000).toISOString().slice(0, 10);

/** 1970 began on a Thursday, the fourth day. */
const dayOfWeekOf = (day: number) => ((((day + 3) % 7) + 7) % 7) + 1;

/** The hours of the day that it is at the location, with that day; nothing when nobody can know. */
export function hoursToday(hours: Hours, now: Date): { date: string; periods: Periods } | undefined {
  if (hours.timeZone === null || hours.temporarilyClosed) return undefined;
  const { day } = latestShown(hours.timeZone, now);
  const periods = periodsOn(hours, day);
  return periods && { date: dateOf(day), periods };
}
