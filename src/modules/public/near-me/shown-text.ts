import type { OpeningHours } from '../../directories/index.ts';

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const maxLength = 500;

/** A listing value as one line of text; undefined if empty. */
export function shownText(value: unknown): string | undefined {
  const text = plainText(value);
  if (text === undefined || text.trim() === '') return undefined;
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${[...line.slice(0, maxLength)].slice(0, -1).join('')}…` : line;
}

function plainText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return String(value);
  if (value.every((entry) => typeof entry === 'string')) return value.join(', ');
  return value.map((entry) => dayText(entry as OpeningHours)).join('; ');
}

function dayText({ dayOfWeek, closed, from1, to1, from2, to2 }: OpeningHours): string {
  const periods = [
    [from1, to1],
    [from2, to2],
  ].flatMap(([from, to]) => (from && to ? [`${from}–${to}`] : []));
  const hours = closed || periods.length === 0 ? 'closed' : periods.join(', ');
  return `${days[dayOfWeek - 1] ?? dayOfWeek} ${hours}`;
}
