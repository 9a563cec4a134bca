import lookUp from '@photostructure/tz-lookup';
import { LRUCache } from 'lru-cache';

/** Names that are valid and how the platform's clock calls them: Asia/Kolkata and Asia/Calcutta are one zone. */
const spellings = new LRUCache<string, { zone: string | undefined }>({
  max: 2000,
  memoMethod: (name) => ({ zone: askClock(name) }),
});

const canonicalZone = (name: string): string | undefined => spellings.memo(name).zone;

function askClock(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Offsets such as +02:00 are known to the clock as well and are not the name of a zone. */
export const isTimeZone = (name: string): boolean => /^[A-Za-z]/.test(name) && canonicalZone(name) !== undefined;

const calendars = new Map<string, Intl.DateTimeFormat>();

/** The day that it is in a time zone, YYYY-MM-DD; in UTC where the zone is not known. */
export function dayIn(timeZone: string | null, moment: Date): string {
  const zone = timeZone ?? 'UTC';
  let calendar = calendars.get(zone);
  if (!calendar) {
    // Sweden writes dates as ISO 8601 does.
    calendar = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
    calendars.set(zone, calendar);
  }
  return calendar.format(moment);
}

export const timeZoneAt = (lat: number, lng: number): string => lookUp(lat, lng);

const zonesByCountry = new Map<string, ReadonlySet<string>>();

function zonesOf(country: string): ReadonlySet<string> {
  const known = zonesByCountry.get(country);
  if (known) return known;
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & { getTimeZones(): string[] | undefined };
  const zones = new Set((locale.getTimeZones() ?? []).map((zone) => canonicalZone(zone) ?? zone));
  zonesByCountry.set(country, zones);
  return zones;
}

/** About 30 km: the map of zones is that coarse along borders and coasts. */
const nearby = [0, -0.3, 0.3];

/**
 * Whether a place can lie in a country, as far as time zones tell: there, or a little way off, clocks must go as they
 * do somewhere in the country. Countries without a zone of their own are not doubted.
 */
export function mayLieIn(country: string, lat: number, lng: number): boolean {
  const zones = zonesOf(country);
  if (zones.size === 0) return true;
  return nearby.some((north) =>
    nearby.some((east) => {
      const zone = lookUp(Math.min(90, Math.max(-90, lat + north)), wrap(lng + east));
      return zones.has(canonicalZone(zone) ?? zone);
    }),
  );
}

const wrap = (lng: number) => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng);
