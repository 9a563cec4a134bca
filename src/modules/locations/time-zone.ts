import lookUp from '@photostructure/tz-lookup';
import { LRUCache } from 'lru-cache';

/** Canonical zone by name, because Asia/Kolkata and Asia/Calcutta are the same zone. */
const spellings = new LRUCache<string, { zone: string | undefined }>({
  max: 2000,
  memoMethod: (name) => ({ zone: resolveZone(name) }),
});

const canonicalZone = (name: string): string | undefined => spellings.memo(name).zone;

function resolveZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Intl also accepts offsets such as +02:00, which are not zone names. */
export const isTimeZone = (name: string): boolean => /^[A-Za-z]/.test(name) && canonicalZone(name) !== undefined;

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

/** In degrees, about 30 km: the precision of tz-lookup along borders and coasts. */
const nearby = [0, -0.3, 0.3];

/** Whether the time zone of the coordinates, or of a nearby point, is one of the country. True if it has no zones. */
export function couldBeInCountry(country: string, lat: number, lng: number): boolean {
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
