import Type, { type Static } from 'typebox';
import { invalidField } from '../../../problems.ts';
import { countryCode } from '../../../values/countries.ts';
import { type MapFilter, type SearchArea, type ValueKind, valueKinds } from '../../locations/index.ts';
import type { FinderFilter } from './finder-filters.ts';
import { maxRadiusKm } from './store-finder.ts';

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
