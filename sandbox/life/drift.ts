import type { Hours, Profile } from '../profile.ts';
import { type Dice, pick } from './seeded-random.ts';

type Drift = (dice: Dice, profile: Profile) => Profile;

/** How a page comes to show something else than it did, without anybody's doing. */
const drifts: Record<string, Drift> = {
  phone: (dice, profile) => ({ ...profile, phone: otherEnding(dice, profile.phone ?? '') }),
  openingHours: (dice, profile) => ({ ...profile, openingHours: otherHours(dice, profile.openingHours ?? []) }),
  name: (_, profile) => ({ ...profile, name: otherName(profile) }),
  website: (_, profile) => ({ ...profile, website: otherSite(profile.website ?? '') }),
  streetNo: (dice, profile) => ({ ...profile, streetNo: otherEnding(dice, profile.streetNo ?? '') }),
  temporarilyClosed: (_, profile) => ({ ...profile, temporarilyClosed: !profile.temporarilyClosed }),
};

/** The fields of a profile that can drift, those that do so most first. */
export const driftable = (profile: Profile, shows: readonly string[]): string[] =>
  Object.keys(drifts).filter((field) => {
    const value = profile[field as keyof Profile];
    const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    return field === 'name' || (shows.includes(field) && (!isEmpty || field === 'temporarilyClosed'));
  });

export function driftField(dice: Dice, profile: Profile, field: string): Profile {
  return drifts[field]?.(dice, profile) ?? profile;
}

/** Another number at the end, never the same. */
function otherEnding(dice: Dice, text: string): string {
  const [, head = text, digits = '', tail = ''] = /^(.*?)(\d{1,2})(\D*)$/s.exec(text) ?? [];
  if (digits === '') return `${text} 1`.trim();
  const size = 10 ** digits.length;
  const other = (Number(digits) + 1 + Math.floor(dice() * (size - 1))) % size;
  return `${head}${String(other).padStart(digits.length, '0')}${tail}`;
}

function otherHours(dice: Dice, hours: readonly Hours[]): Hours[] {
  const open = hours.filter((day) => !day.closed && day.to1 !== undefined);
  if (open.length === 0) return hours.map((day) => ({ dayOfWeek: day.dayOfWeek, from1: '09:00', to1: '17:00' }));
  const moved = pick(dice, open);
  return hours.map((day) => (day === moved ? { ...day, to1: anHourEarlier(day.to1 ?? '') } : day));
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
