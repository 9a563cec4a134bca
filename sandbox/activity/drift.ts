import type { Hours, Profile } from '../profile.ts';
import { pick, type Random } from './seeded-random.ts';

type Drift = (random: Random, profile: Profile) => Profile;

/** Changes that the directory makes without a submission, by field. */
const drifts: Record<string, Drift> = {
  phone: (random, profile) => ({ ...profile, phone: otherEnding(random, profile.phone ?? '') }),
  openingHours: (random, profile) => ({ ...profile, openingHours: otherHours(random, profile.openingHours ?? []) }),
  name: (_, profile) => ({ ...profile, name: otherName(profile) }),
  website: (_, profile) => ({ ...profile, website: otherSite(profile.website ?? '') }),
  streetNo: (random, profile) => ({ ...profile, streetNo: otherEnding(random, profile.streetNo ?? '') }),
  temporarilyClosed: (_, profile) => ({ ...profile, temporarilyClosed: !profile.temporarilyClosed }),
};

/** The fields of a profile that can change. */
export const driftable = (profile: Profile, fields: readonly string[]): string[] =>
  Object.keys(drifts).filter((field) => {
    const value = profile[field as keyof Profile];
    const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    return field === 'name' || (fields.includes(field) && (!isEmpty || field === 'temporarilyClosed'));
  });

export function driftField(random: Random, profile: Profile, field: string): Profile {
  return drifts[field]?.(random, profile) ?? profile;
}

/** Replaces the last digits with different ones. */
function otherEnding(random: Random, text: string): string {
  const [, head = text, digits = '', tail = ''] = /^(.*?)(\d{1,2})(\D*)$/s.exec(text) ?? [];
  if (digits === '') return `${text} 1`.trim();
  const size = 10 ** digits.length;
  const other = (Number(digits) + 1 + Math.floor(random() * (size - 1))) % size;
  return `${head}${String(other).padStart(digits.length, '0')}${tail}`;
}

function otherHours(random: Random, hours: readonly Hours[]): Hours[] {
  const open = hours.filter((day) => !day.closed && day.to1 !== undefined);
  if (open.length === 0) return hours.map((day) => ({ dayOfWeek: day.dayOfWeek, from1: '09:00', to1: '17:00' }));
  const changed = pick(random, open);
  return hours.map((day) => (day === changed ? { ...day, to1: anHourEarlier(day.to1 ?? '') } : day));
}

function anHourEarlier(time: string): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return `${String((hour + 23) % 24).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

function otherName({ name, city }: Profile): string {
  if (city && name.endsWith(` ${city}`)) return name.slice(0, -city.length - 1);
  return city ? `${name} ${city}` : `${name} & Co.`;
}

const otherSite = (website: string) =>
  website.startsWith('https:') ? website.replace('https:', 'http:') : `https://${website.replace(/^http:\/\//, '')}`;
