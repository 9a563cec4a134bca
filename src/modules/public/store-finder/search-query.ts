import Type, { type Static } from 'typebox';
import { invalidField } from '../../../problems.ts';
import { countryCode } from '../../../values/countries.ts';
import type { Around, MapFilter } from '../../locations/index.ts';
import { largestRadiusKm } from './store-finder.ts';

const several = { maxItems: 100 };

export const searchQuery = Type.Object({
  lat: Type.Optional(Type.Number({ minimum: -90, maximum: 90, description: 'Where to look; together with lng' })),
  lng: Type.Optional(Type.Number({ minimum: -180, maximum: 180, description: 'Where to look; together with lat' })),
  radius: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: largestRadiusKm,
      description: "Kilometres around lat and lng; the finder's defaultRadiusKm unless it is given",
    }),
  ),
  cities: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), several)),
  zips: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), several)),
  countries: Type.Optional(Type.Array(Type.String({ maxLength: 2, description: 'Country code' }), several)),
  filters: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string', maxLength: 500 },
      maxItems: 100,
      maxLength: 5000,
      description:
        'What the filters offer, as id:value: labels:Drive-in,countries:DE. Any value of a filter, and every filter, must fit',
    }),
  ),
  query: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words of name and address; the last may be only begun' }),
  ),
  openNow: Type.Boolean({ default: false, description: 'Only those that are open at this moment' }),
  max: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many entries to answer with' }),
  page: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'The first page is 0' }),
});
type Asked = Static<typeof searchQuery>;

export function aroundOf({ lat, lng, radius }: Asked, defaultRadiusKm: number): Around | undefined {
  if (lat === undefined && lng === undefined) {
    if (radius === undefined) return undefined;
    throw invalidField('radius', 'together', 'radius needs a place to start from: give lat and lng as well.');
  }
  if (lat === undefined) throw invalidField('lat', 'together', 'lat is needed together with lng.');
  if (lng === undefined) throw invalidField('lng', 'together', 'lng is needed together with lat.');
  return { lat, lng, radiusKm: radius ?? defaultRadiusKm };
}

export const offsetOf = ({ page, max }: Asked): number => page * max;

/** The locations that the finder shows, narrowed by what was asked for and by the filters that were chosen. */
export function searchFilter(
  shown: MapFilter,
  { cities, zips, countries, query }: Asked,
  chosen: Partial<MapFilter>,
): MapFilter {
  const codes = countries?.map((code) => countryCode(code) ?? code.toUpperCase());
  const allCities = both(cities, chosen.cities);
  const allCountries = both(codes, chosen.countries);
  return {
    ...shown,
    ...chosen,
    labelLists: [...(shown.labelLists ?? []), ...(chosen.labelLists ?? [])],
    ...(allCities && { cities: allCities }),
    ...(allCountries && { countries: allCountries }),
    ...(zips && { zips }),
    ...(query !== undefined && { query }),
  };
}

/** What is in both lists, where both are given. */
function both(one: readonly string[] | undefined, other: readonly string[] | undefined): readonly string[] | undefined {
  if (!one || !other) return one ?? other;
  return one.filter((text) => other.some((word) => word.toLowerCase() === text.toLowerCase()));
}
