import { dayMinutes } from './hours.ts';

/** What the clock on the wall of a place shows. */
export interface WallTime {
  /** Days since 1970 in the place's own calendar. */
  day: number;
  /** Minutes since the day began by the clock. */
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

/** Minutes since 1970 as the clock shows them. */
function shownAt(zone: string, moment: number): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of clockOf(zone).formatToParts(moment)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute) / minuteMs;
}

/**
 * The latest time that the clock of a zone has shown until now. That is what it shows, except in the hour that comes
 * twice when clocks go back: whatever closed or opened in its first pass is not undone by its second.
 */
export function latestShown(zone: string, now: Date): WallTime {
  const minute = Math.floor(now.getTime() / minuteMs) * minuteMs;
  const latest = Math.max(shownAt(zone, minute), beforeClocksWentBack(zone, minute));
  const day = Math.floor(latest / dayMinutes);
  return { day, minute: latest - day * dayMinutes };
}

/** What the clock had reached when it was last put back, if that was within the last hours. */
function beforeClocksWentBack(zone: string, now: number): number {
  const aheadBy = (moment: number) => shownAt(zone, moment) - moment / minuteMs;
  const was = aheadBy(now - lookBackMs);
  if (was <= aheadBy(now)) return Number.NEGATIVE_INFINITY;
  let [before, after] = [now - lookBackMs, now];
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (aheadBy(middle) === was) before = middle;
    else after = middle;
  }
  return shownAt(zone, before);
}
