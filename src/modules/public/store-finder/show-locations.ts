import type { Sql } from '../../../database/connection.ts';
import { findLabels, isCategoryLanguage, type Label } from '../../catalog/index.ts';
import { type Location, openAt } from '../../locations/index.ts';
import { formatLocation, type ShownName, type StoreFinderLocation } from './shown-location.ts';
import { type StoreFinder, settingsOf } from './store-finder.ts';

type LocationRow = Pick<Location, 'id'> & Partial<Location>;

interface ShowOptions {
  fields: ReadonlySet<ShownName>;
  /** Falls back to the finder's language if categories are not translated. */
  language?: string | undefined;
  now: Date;
  /** Distance in kilometres by location id. */
  distances?: ReadonlyMap<number, number | undefined>;
  /** Omit openNow for unknown hours instead of returning false. */
  onlyKnownHours?: boolean;
}

export async function showLocations(
  sql: Sql,
  finder: StoreFinder,
  locations: readonly LocationRow[],
  { fields, language = '', now, distances, onlyKnownHours = false }: ShowOptions,
): Promise<StoreFinderLocation[]> {
  const settings = settingsOf(finder);
  const display = { ...settings, language: isCategoryLanguage(language) ? language : settings.language };
  const labels = fields.has('labels') ? await publicLabels(sql, finder.partnerId, locations) : undefined;
  const isOpenAt = openAt(now);
  return locations.map((location) => {
    const isOpen = fields.has('openNow') ? isOpenAt(hoursOf(location)) : undefined;
    return formatLocation(location, display, fields, {
      labels: (location.labelIds ?? []).flatMap((id) => labels?.get(id) ?? []),
      distance: distances?.get(location.id),
      isOpen: onlyKnownHours ? isOpen : isOpen === true,
    });
  });
}

async function publicLabels(
  sql: Sql,
  partnerId: number,
  locations: readonly LocationRow[],
): Promise<ReadonlyMap<number, Label>> {
  const ids = [...new Set(locations.flatMap(({ labelIds = [] }) => labelIds))];
  const labels = ids.length > 0 ? await findLabels(sql, partnerId, ids) : [];
  return new Map(labels.filter(({ adminOnly }) => !adminOnly).map((label) => [label.id, label]));
}

/** Input of the openNow computation; a location that was deleted in the meantime is closed. */
export const hoursOf = (location: LocationRow | undefined) => ({
  timeZone: location?.timeZone ?? null,
  temporarilyClosed: location?.temporarilyClosed ?? true,
  openingHours: location?.profile?.openingHours,
  specialOpeningHours: location?.profile?.specialOpeningHours,
  openingDate: location?.profile?.openingDate,
});
