import type { Sql } from '../../../database/connection.ts';
import { findLabels, isCategoryLanguage, type Label } from '../../catalog/index.ts';
import {
  countPublicLocations,
  findPublicLocations,
  listByName,
  listNearest,
  type MapFilter,
  openAt,
  type SearchArea,
} from '../../locations/index.ts';
import {
  formatLocation,
  type LocationRow,
  propertiesFor,
  type ShownName,
  type StoreFinderLocation,
} from './shown-location.ts';
import { type StoreFinder, settingsOf } from './store-finder.ts';

interface Search {
  filter: MapFilter;
  around: SearchArea | undefined;
  /** Only locations that are open now. */
  openOnly: boolean;
  /** Fields of the results. */
  fields: ReadonlySet<ShownName>;
  language: string | undefined;
  offset: number;
  max: number;
}

interface SearchResult {
  count: number;
  countIsExact: boolean;
  locations: StoreFinderLocation[];
}

type Candidate = { id: number; distance?: number };

/** openNow is computed from opening hours, for the nearest locations up to this number. */
const maxExamined = 5000;
const examineBatch = 250;

/** Sorted by distance if a position is given, otherwise by name. */
export async function searchLocations(sql: Sql, finder: StoreFinder, search: Search, now: Date): Promise<SearchResult> {
  const { filter, around, openOnly, fields, language, offset, max } = search;
  const { found, ...counted } = openOnly
    ? await findOpen(sql, search, now)
    : await findAny(sql, filter, around, { offset, limit: max });
  const ids = found.map(({ id }) => id);
  const read = await findPublicLocations(sql, filter, ids, propertiesFor(fields));
  const results = found.flatMap(({ id }) => read.get(id) ?? []);
  const distances = new Map(found.map(({ id, distance }) => [id, distance]));
  const locations = await showLocations(sql, finder, results, { fields, language, now, distances });
  return { ...counted, locations };
}

async function findAny(
  sql: Sql,
  filter: MapFilter,
  around: SearchArea | undefined,
  page: { offset: number; limit: number },
) {
  const [counted, found] = await Promise.all([
    countPublicLocations(sql, filter, around),
    candidates(sql, filter, around, page),
  ]);
  return { found, ...counted };
}

const candidates = (
  sql: Sql,
  filter: MapFilter,
  around: SearchArea | undefined,
  page: { offset: number; limit: number },
): Promise<Candidate[]> => (around ? listNearest(sql, filter, around, page) : listByName(sql, filter, page));

/** Examines candidates until the page is full and it is known whether another page follows. */
async function findOpen(sql: Sql, { filter, around, offset, max }: Search, now: Date) {
  const isOpen = openAt(now);
  const found = await candidates(sql, filter, around, { offset: 0, limit: maxExamined });
  const open: Candidate[] = [];
  let examined = 0;
  while (examined < found.length && open.length <= offset + max) {
    const batch = found.slice(examined, examined + examineBatch);
    const ids = batch.map(({ id }) => id);
    const read = await findPublicLocations(sql, filter, ids, propertiesFor(['openNow']));
    open.push(...batch.filter(({ id }) => isOpen(hoursOf(read.get(id))) === true));
    examined += batch.length;
  }
  const isAll = found.length < maxExamined;
  const { count: shown } = isAll ? { count: found.length } : await countPublicLocations(sql, filter, around);
  // Locations that were not examined may be open.
  return {
    found: open.slice(offset, offset + max),
    count: open.length + shown - examined,
    countIsExact: isAll && examined === found.length,
  };
}

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
const hoursOf = (location: LocationRow | undefined) => ({
  timeZone: location?.timeZone ?? null,
  temporarilyClosed: location?.temporarilyClosed ?? true,
  openingHours: location?.profile?.openingHours,
  specialOpeningHours: location?.profile?.specialOpeningHours,
  openingDate: location?.profile?.openingDate,
});
