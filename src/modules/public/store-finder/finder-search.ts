import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { invalidField } from '../../../problems.ts';
import { countryCode } from '../../../values/countries.ts';
import { findLabels, isCategoryLanguage, type Label } from '../../catalog/index.ts';
import {
  countPublicLocations,
  findPublicLocations,
  listByName,
  listNearest,
  type MapFilter,
  openAt,
  type SearchArea,
  type ValueKind,
  valueKinds,
} from '../../locations/index.ts';
import type { FinderFilter } from './finder-filters.ts';
import {
  formatLocation,
  type LocationRow,
  propertiesFor,
  type ShownName,
  type StoreFinderLocation,
} from './shown-location.ts';
import { maxRadiusKm, type StoreFinder, settingsOf } from './store-finder.ts';

const list = { maxItems: 100 };

export const searchQuery = Type.Object({
  lat: Type.Optional(
    Type.Number({ minimum: -90, maximum: 90, description: 'Latitude of the search centre; requires lng' }),
  ),
  lng: Type.Optional(
    Type.Number({ minimum: -180, maximum: 180, description: 'Longitude of the search centre; requires lat' }),
  ),
  radius: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: maxRadiusKm,
      description: "Radius in kilometres. Defaults to the finder's defaultRadiusKm",
    }),
  ),
  cities: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), list)),
  zips: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), list)),
  countries: Type.Optional(Type.Array(Type.String({ maxLength: 2, description: 'Country code' }), list)),
  filters: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string', maxLength: 500 },
      maxItems: 100,
      maxLength: 5000,
      description:
        'Filters as id:value, such as labels:Drive-in,countries:DE. Values of one filter are combined with OR, filters with AND',
    }),
  ),
  query: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words of the name or address. The last word may be a prefix' }),
  ),
  openNow: Type.Boolean({ default: false, description: 'Only locations that are open now' }),
  max: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Page size' }),
  page: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Page number, starting at 0' }),
});
type SearchParameters = Static<typeof searchQuery>;

export function aroundOf({ lat, lng, radius }: SearchParameters, defaultRadiusKm: number): SearchArea | undefined {
  if (lat === undefined && lng === undefined) {
    if (radius === undefined) return undefined;
    throw invalidField('radius', 'together', 'radius requires lat and lng.');
  }
  if (lat === undefined) throw invalidField('lat', 'together', 'lat is required if lng is given.');
  if (lng === undefined) throw invalidField('lng', 'together', 'lng is required if lat is given.');
  return { lat, lng, radiusKm: radius ?? defaultRadiusKm };
}

/** Combines the finder's own filter with the query parameters and the selected filters. */
export function searchFilter(
  shown: MapFilter,
  { cities, zips, countries, query }: SearchParameters,
  selected: Partial<MapFilter>,
): MapFilter {
  const codes = countries?.map((code) => countryCode(code) ?? code.toUpperCase());
  const allCities = intersect(cities, selected.cities);
  const allCountries = intersect(codes, selected.countries);
  return {
    ...shown,
    ...selected,
    labelLists: [...(shown.labelLists ?? []), ...(selected.labelLists ?? [])],
    ...(allCities && { cities: allCities }),
    ...(allCountries && { countries: allCountries }),
    ...(zips && { zips }),
    ...(query !== undefined && { query }),
  };
}

/** The intersection if both lists are given. */
function intersect(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!one || !other) return one ?? other;
  return one.filter((text) => other.some((word) => same(word, text)));
}

/** A comma separates filters only if a filter id follows. */
const separator = new RegExp(`,(?=\\s*(?:${valueKinds.join('|')}):)`, 'i');

type RequestedFilters = ReadonlyMap<ValueKind, readonly string[]>;

/** `labels:Drive-in,labels:Open late,countries:DE`, or the same in repeated keys. */
export function readFilters(
  given: string | readonly string[] | undefined,
  offered: readonly ValueKind[],
): RequestedFilters {
  const requested = new Map<ValueKind, string[]>();
  const entries = [given ?? []].flat().flatMap((text) => text.split(separator));
  for (const entry of entries.map((text) => text.trim()).filter((text) => text !== '')) {
    const colon = entry.indexOf(':');
    const name = entry.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const kind = offered.find((known) => known.toLowerCase() === name);
    const value = entry.slice(colon + 1).trim();
    if (!kind || value === '') {
      const choice = offered.length > 0 ? `one of ${offered.join(', ')}` : 'none, because this finder has no filters';
      throw invalidField('filters', 'filter', `filters contains "${entry}". Use id:value, where id is ${choice}.`);
    }
    requested.set(kind, [...(requested.get(kind) ?? []), value]);
  }
  return requested;
}

/** Maps filter values to the keys stored with locations. Labels that are not offered never match. */
export function filterKeys(requested: RequestedFilters, known: readonly FinderFilter[]): Partial<MapFilter> {
  const keys = (kind: ValueKind, fallback: (text: string) => string | undefined) =>
    requested.get(kind)?.flatMap((text) => {
      const values = known.find((filter) => filter.kind === kind)?.values ?? [];
      const matches = values.filter(({ key, value, translations }) =>
        [key, value, ...Object.values(translations)].some((word) => same(word, text)),
      );
      return matches.length > 0 ? matches.map(({ key }) => key) : (fallback(text) ?? []);
    });
  const labels = keys('labels', () => undefined);
  const categories = keys('categories', (text) => (/^\d{1,15}$/.test(text) ? text : undefined));
  const services = keys('services', (text) => text);
  const paymentOptions = keys('paymentOptions', (text) => text.toUpperCase());
  const countries = keys('countries', countryCode);
  const cities = keys('cities', (text) => text);
  return {
    ...(labels && { labelLists: [labels.map(Number)] }),
    ...(categories && { categories: categories.map(Number) }),
    ...(services && { serviceTitles: services }),
    ...(paymentOptions && { paymentOptions }),
    ...(countries && { countries }),
    ...(cities && { cities }),
  };
}

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

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

type Candidate = { id: number; distance?: number };

/** openNow is computed from opening hours, for the nearest locations up to this number. */
const maxExamined = 5000;
const examineBatch = 250;

/** Sorted by distance if a position is given, otherwise by name. */
export async function searchLocations(sql: Sql, finder: StoreFinder, search: Search, now: Date) {
  const { filter, openOnly, fields, language } = search;
  const { found, ...counted } = openOnly ? await findOpen(sql, search, now) : await findAny(sql, search);
  const ids = found.map(({ id }) => id);
  const read = await findPublicLocations(sql, filter, ids, propertiesFor(fields));
  const results = found.flatMap(({ id }) => read.get(id) ?? []);
  const distances = new Map(found.map(({ id, distance }) => [id, distance]));
  const locations = await showLocations(sql, finder, results, { fields, language, now, distances });
  return { ...counted, locations };
}

async function findAny(sql: Sql, search: Search) {
  const [counted, found] = await Promise.all([
    countPublicLocations(sql, search.filter, search.around),
    candidates(sql, search, search.offset, search.max),
  ]);
  return { found, ...counted };
}

const candidates = (sql: Sql, { filter, around }: Search, offset: number, limit: number): Promise<Candidate[]> =>
  around ? listNearest(sql, filter, around, { offset, limit }) : listByName(sql, filter, { offset, limit });

/** Examines candidates until the page is full and it is known whether another page follows. */
async function findOpen(sql: Sql, search: Search, now: Date) {
  const { filter, around, offset, max } = search;
  const isOpen = openAt(now);
  const found = await candidates(sql, search, 0, maxExamined);
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
  ...location?.profile,
  timeZone: location?.timeZone ?? null,
  temporarilyClosed: location?.temporarilyClosed ?? true,
});
