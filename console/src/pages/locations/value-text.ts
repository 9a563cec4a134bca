import { dayText } from '../../parts/time-text.ts';
import { t } from '../../texts/t.ts';
import { countryName } from './location-values.ts';

/** Opening hours of a day. */
export interface Times {
  closed?: boolean;
  from1?: string;
  to1?: string;
  from2?: string;
  to2?: string;
}

const weekday = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' });
const longWeekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** 1 is Monday; 2024-01-01 was a Monday. */
export const dayName = (dayOfWeek: number, isLong = false): string =>
  (isLong ? longWeekday : weekday).format(new Date(Date.UTC(2024, 0, dayOfWeek)));

/** "08:00–12:30, 13:30–18:00" */
function periodsText({ closed, from1, to1, from2, to2 }: Times): string {
  if (closed || (!from1 && !to1)) return t('locations.hours.closed');
  const periods = [`${from1 ?? ''}–${to1 ?? ''}`];
  if (from2 || to2) periods.push(`${from2 ?? ''}–${to2 ?? ''}`);
  return periods.join(', ');
}

export function valueText(field: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return t('locations.nothing');
  if (typeof value === 'boolean') return t(value ? 'locations.yes' : 'locations.no');
  if (Array.isArray(value)) {
    return value.length === 0 ? t('locations.nothing') : value.map((entry) => entryText(field, entry)).join('\n');
  }
  if (field === 'country' && typeof value === 'string') return countryName(value);
  return typeof value === 'object' ? entryText(field, value) : String(value);
}

function entryText(field: string, entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry);
  const hours = entry as Times & { dayOfWeek?: number; date?: string };
  if (hours.dayOfWeek !== undefined) return `${dayName(hours.dayOfWeek)} ${periodsText(hours)}`;
  if (field === 'specialOpeningHours' && hours.date) return `${dayText(hours.date)}: ${periodsText(hours)}`;
  const { name, title, url, key, value } = entry as Record<string, unknown>;
  if (key !== undefined) return `${key}: ${value}`;
  return String(name ?? title ?? url ?? JSON.stringify(entry));
}
