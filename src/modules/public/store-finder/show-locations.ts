import type { Sql } from '../../../database/connection.ts';
import { findLabels, isCategoryLanguage, type Label } from '../../catalog/index.ts';
import { type Location, openAt } from '../../locations/index.ts';
import { type ShownName, type StoreFinderLocation, shownOf } from './shown-location.ts';
import { type StoreFinder, settingsOf } from './store-finder.ts';

type Read = Pick<Location, 'id'> & Partial<Location>;

interface Wanted {
  asked: ReadonlySet<ShownName>;
  /** The finder's where categories have no names in it. */
  language?: string | undefined;
  now: Date;
  /** Kilometres by the id of the location. */
  distances?: ReadonlyMap<number, number | undefined>;
  /** Whether openNow is absent where the hours are not known; else it is false there. */
  onlyKnownHours?: boolean;
}

/** Locations as a finder shows them. */
export async function showLocations(
  sql: Sql,
  finder: StoreFinder,
  locations: readonly Read[],
  { asked, language = '', now, distances, onlyKnownHours = false }: Wanted,
): Promise<StoreFinderLocation[]> {
  const settings = settingsOf(finder);
  const manner = { ...settings, language: isCategoryLanguage(language) ? language : settings.language };
  const labels = asked.has('labels') ? await publicLabels(sql, finder.partnerId, locations) : undefined;
  const isOpenAt = openAt(now);
  return locations.map((location) => {
    const isOpen = asked.has('openNow') ? isOpenAt(hoursOf(location)) : undefined;
    return shownOf(location, manner, asked, {
      labels: (location.labelIds ?? []).flatMap((id) => labels?.get(id) ?? []),
      distance: distances?.get(location.id),
      isOpen: onlyKnownHours ? isOpen : isOpen === true,
    });
  });
}

async function publicLabels(
  sql: Sql,
  partnerId: number,
  locations: readonly Read[],
): Promise<ReadonlyMap<number, Label>> {
  const ids = [...new Set(locations.flatMap(({ labelIds = [] }) => labelIds))];
  const labels = ids.length > 0 ? await findLabels(sql, partnerId, ids) : [];
  return new Map(labels.filter(({ adminOnly }) => !adminOnly).map((label) => [label.id, label]));
}

/** The values that decide whether a location is open; a location that was deleted meanwhile is not. */
export const hoursOf = (location: Read | undefined) => ({
  timeZone: location?.timeZone ?? null,
  temporarilyClosed: location?.temporarilyClosed ?? true,
  openingHours: location?.profile?.openingHours,
  specialOpeningHours: location?.profile?.specialOpeningHours,
  openingDate: location?.profile?.openingDate,
});
