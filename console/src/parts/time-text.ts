const language = 'en';

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

/** "3 minutes ago", "in 2 hours", "just now". */
export function relativeTime(moment: Date, now: number): string {
  const seconds = Math.round((moment.getTime() - now) / 1000);
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  if (!step) return Math.abs(seconds) < 10 ? 'just now' : relative.format(seconds, 'second');
  return relative.format(Math.trunc(seconds / step[1]), step[0]);
}

const absolute = new Intl.DateTimeFormat(language, {
  dateStyle: 'medium',
  timeStyle: 'long',
});

export const absoluteTime = (moment: Date): string => absolute.format(moment);

const minutes = new Intl.DateTimeFormat(language, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** Time zone of the browser, in which all times are shown and entered. */
export const ownTimeZone = minutes.resolvedOptions().timeZone;

/** "Nov 15, 2026, 9:00 AM GMT+1" */
export const minuteText = (moment: string): string => minutes.format(new Date(moment));

const isoTime = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)/g;

/** Formats ISO times inside an API message. */
export const localTimes = (sentence: string): string => sentence.replace(isoTime, (time) => minuteText(time));

const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });

/** "15 Nov 2026" of a moment or of a date such as 2026-11-15. */
export const dayText = (text: string): string =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? day.format(new Date(`${text}T12:00:00`)) : day.format(new Date(text));

/** "1.2 s", "2 s", "340 ms", "3 min 20 s". */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), Math.round(seconds % 60)];
  if (minutes < 60) return rest ? `${minutes} min ${rest} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}
