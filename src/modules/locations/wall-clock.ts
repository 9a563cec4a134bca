import { dayMinutes } from './hours.ts';

/** Local time. */
export interface WallTime {
  /** Days since 1970-01-01, local date. */
  day: number;
  /** Minutes since local midnight. */
  minute: number;
}

const minuteMs = 60_000;
const lookBackMs = 3 * 60 * minuteMs;

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
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
  clocks.set(zone, clock);
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
export function latestWallTime(zone: string, now: Date): WallTime {
  const minute = Math.floor(now.getTime() / minuteMs) * minuteMs;
  const latest = Math.max(wallMinutesAt(zone, minute), beforeClocksWentBack(zone, minute));
  const day = Math.floor(latest / dayMinutes);
  return { day, minute: latest - day * dayMinutes };
}

/** Local time when the clock was last set back, if within the last 3 hours. */
function beforeClocksWentBack(zone: string, now: number): number {
  const offsetMinutes = (moment: number) => wallMinutesAt(zone, moment) - moment / minuteMs;
  const was = offsetMinutes(now - lookBackMs);
  if (was <= offsetMinutes(now)) return Number.NEGATIVE_INFINITY;
  let [before, after] = [now - lookBackMs, now];
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (offsetMinutes(middle) === was) before = middle;
    else after = middle;
  }
  return wallMinutesAt(zone, before);
}
