import { type Expression, expressionBuilder, type RawBuilder } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countRows } from '../../database/counting.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import type { DB } from '../../database/schema.ts';
import { textList } from '../../database/statement.ts';
import { publicStatuses } from './location.ts';
import { indexed, selectFields } from './location-columns.ts';
import { type FoundLocation, plainZip, searchExpression } from './location-list-store.ts';

/** Search circle. */
export interface SearchArea {
  lat: number;
  lng: number;
  radiusKm: number;
}

/** Bounding box in degrees; two longitude ranges when it crosses the antimeridian. */
export interface MapBox {
  south: number;
  north: number;
  lngRanges: readonly (readonly [west: number, east: number])[];
}

/** Mean radius of the earth: https://en.wikipedia.org/wiki/Earth_radius#Arithmetic_mean_radius */
export const earthRadiusKm = 6371.0088;

const toDegrees = 180 / Math.PI;
const everywhere = [[-180, 180]] as const;

/** Bounding box of a circle plus a margin: http://janmatuschek.de/LatitudeLongitudeBoundingCoordinates */
export function boxAround({ lat, lng, radiusKm }: SearchArea, marginDegrees = 1e-6): MapBox {
  const angle = radiusKm / earthRadiusKm;
  const height = angle * toDegrees + marginDegrees;
  const south = Math.max(-90, lat - height);
  const north = Math.min(90, lat + height);
  const reach = Math.sin(angle) / Math.cos(lat / toDegrees);
  if (south <= -90 || north >= 90 || angle >= Math.PI / 2 || reach >= 1) return { south, north, lngRanges: everywhere };
  const width = Math.asin(reach) * toDegrees + marginDegrees / Math.cos(lat / toDegrees);
  const [west, east] = [lng - width, lng + width];
  if (east - west >= 360) return { south, north, lngRanges: everywhere };
  const range = [Math.max(-180, west), Math.min(180, east)] as const;
  if (west < -180) return { south, north, lngRanges: [range, [west + 360, 180]] };
  return { south, north, lngRanges: east > 180 ? [range, [-180, east - 360]] : [range] };
}

/** Public search filter. A location must match every field. */
export interface MapFilter {
  partnerId: number;
  businessIds?: readonly number[];
  /** A location must have at least one label of each list. */
  labelLists?: readonly (readonly number[])[];
  cities?: readonly string[];
  zips?: readonly string[];
  countries?: readonly string[];
  categories?: readonly number[];
  serviceTitles?: readonly string[];
  paymentOptions?: readonly string[];
  /** Words in the name and the public address; the last one may be a prefix. */
  query?: string;
}

type Page = { offset: number; limit: number };

const { ref } = expressionBuilder<DB, 'locations'>();
const { ref: service } = expressionBuilder<DB, 'serviceItems'>();

/** Must equal the condition of the partial indexes. */
const isPublic = raw<boolean>`${ref('status')} in ${raw.raw(textList(publicStatuses))}`;

/** Hidden addresses are rounded to two decimals, about a kilometre. */
export const hiddenDecimals = 2;
const hiddenMargin = 10 ** -hiddenDecimals;
const publicCoordinate = (column: Expression<number | null>) => raw`case when ${ref('addressDisplay')} then ${column}
  else round(${column}::numeric, ${raw.lit(hiddenDecimals)})::double precision end`;
const publicLat = publicCoordinate(ref('lat'));
const publicLng = publicCoordinate(ref('lng'));

/** Public text only, so that searches do not reveal hidden addresses, e-mail addresses or identifiers. */
const publicText = raw`to_tsvector('simple', translate(
  ${ref('name')} || ' ' || coalesce(${ref('zip')}, '') || ' ' || ${ref('city')} || case when ${ref('addressDisplay')}
    then ' ' || ${ref('street')} || ' ' || coalesce(${ref('streetNo')}, '') else '' end, '@./-_+&''', '        '))`;

/** Fractions of the radius to search in turn, so that dense areas read few rows. */
const rings = [1 / 64, 1 / 8, 1];

/** Nearest first, with the distance in kilometres. */
export async function listNearest(sql: Sql, filter: MapFilter, around: SearchArea, page: Page) {
  let found: { id: number; distance: number }[] = [];
  for (const share of rings) {
    found = await nearestWithin(sql, filter, { ...around, radiusKm: around.radiusKm * share }, page);
    if (found.length === page.limit) break;
  }
  return found;
}

const nearestWithin = (sql: Sql, filter: MapFilter, around: SearchArea, { offset, limit }: Page) =>
  matchingAround(sql, filter, around)
    .select(['id', distanceFrom(around).as('distance')])
    .orderBy('distance')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute();

export const listByName = (sql: Sql, filter: MapFilter, { offset, limit }: Page): Promise<{ id: number }[]> =>
  matching(sql, filter).select('id').orderBy(indexed.name).orderBy('id').offset(offset).limit(limit).execute();

export const countPublicLocations = (sql: Sql, filter: MapFilter, around: SearchArea | undefined): Promise<Counted> =>
  countRows(sql, {
    table: 'locations',
    partnerId: filter.partnerId,
    rows: around ? matchingAround(sql, filter, around) : matching(sql, filter),
    all: ofPartner(sql, filter.partnerId),
  });

/** All public locations, by id; `after` is the last id of the previous page. */
export const listPublicLocations = (
  sql: Sql,
  filter: MapFilter,
  { after, limit }: { after: number; limit: number },
  fields: ReadonlySet<string>,
): Promise<FoundLocation[]> =>
  selectFields(matching(sql, filter).where('id', '>', after), fields)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Public locations with these ids, by id. */
export async function findPublicLocations(
  sql: Sql,
  filter: MapFilter,
  ids: readonly number[],
  fields: ReadonlySet<string>,
): Promise<Map<number, FoundLocation>> {
  if (ids.length === 0) return new Map();
  const rows = await selectFields(matching(sql, filter).where('id', '=', anyOf(ids, 'bigint')), fields).execute();
  return new Map(rows.map((location) => [location.id, location]));
}

function matchingAround(sql: Sql, filter: MapFilter, around: SearchArea) {
  const { south, north, lngRanges } = boxAround(around, hiddenMargin);
  return matching(sql, filter)
    .where(({ between }) => between('lat', south, north))
    .where(({ or, between }) => or(lngRanges.map(([west, east]) => between('lng', west, east))))
    .where(distanceFrom(around), '<=', around.radiusKm);
}

function distanceFrom(around: { lat: number; lng: number }) {
  const lat = raw`${around.lat}::double precision`;
  const lng = raw`${around.lng}::double precision`;
  return raw<number>`${raw.lit(2 * earthRadiusKm)} * asin(least(1, sqrt(
    sin(radians(${publicLat} - ${lat}) / 2) ^ 2
    + cos(radians(${lat})) * cos(radians(${publicLat})) * sin(radians(${publicLng} - ${lng}) / 2) ^ 2)))`;
}

const ofPartner = (sql: Sql, partnerId: number) => db(sql).selectFrom('locations').where('partnerId', '=', partnerId);

function matching(sql: Sql, filter: MapFilter) {
  const { partnerId, businessIds, countries, categories, paymentOptions } = filter;
  let locations = ofPartner(sql, partnerId).where(isPublic);
  if (businessIds) locations = locations.where('businessId', '=', anyOf(businessIds, 'bigint'));
  for (const ids of filter.labelLists ?? []) {
    locations = locations.where(raw<boolean>`${ref('labelIds')} && ${ids}::bigint[]`);
  }
  if (filter.cities) locations = locations.where(indexed.city, '=', anyOf(filter.cities.map(lowerCase), 'text'));
  if (filter.zips) locations = locations.where(indexed.zip, '=', anyOf(filter.zips.map(plainZip), 'text'));
  if (countries) locations = locations.where('country', '=', anyOf(countries, 'text'));
  if (categories) locations = locations.where(raw<boolean>`${ref('categories')} && ${categories}::bigint[]`);
  if (paymentOptions) {
    locations = locations.where(raw<boolean>`${ref('profile')} -> 'paymentOptions' ?| ${paymentOptions}::text[]`);
  }
  if (filter.serviceTitles) {
    const titles = anyOf(filter.serviceTitles.map(lowerCase), 'text');
    locations = locations.where('id', 'in', ({ selectFrom }) =>
      selectFrom('serviceItems')
        .select('locationId')
        .where('partnerId', '=', partnerId)
        .where(({ fn }) => raw<boolean>`${fn('lower', ['title'])} = ${titles}`),
    );
  }
  if (filter.query !== undefined) {
    const words = raw`to_tsquery('simple', ${searchExpression(filter.query)})`;
    locations = locations.where(raw<boolean>`${ref('search')} @@ ${words} and ${publicText} @@ ${words}`);
  }
  return locations;
}

const lowerCase = (text: string) => text.toLowerCase();

/** Values that the store finder offers as filters. */
export const valueKinds = ['categories', 'services', 'labels', 'paymentOptions', 'countries', 'cities'] as const;
export type ValueKind = (typeof valueKinds)[number];

/** A filter value, such as a category id or a city name. */
export interface LocationValue {
  value: string;
  /** By language code. */
  translations: Record<string, string>;
}

/** SQL to read each kind of value; `same` is the grouping expression. */
interface ValueSource {
  from?: RawBuilder<unknown>;
  value: RawBuilder<string>;
  same: RawBuilder<unknown>;
  translations?: RawBuilder<string>;
}

const entriesOf = (array: RawBuilder<unknown>): ValueSource => ({
  from: raw`, ${array} as entry`,
  value: raw`entry::text`,
  same: raw`entry`,
});

const sources: Record<ValueKind, ValueSource> = {
  categories: entriesOf(raw`unnest(${ref('categories')})`),
  labels: entriesOf(raw`unnest(${ref('labelIds')})`),
  paymentOptions: entriesOf(raw`jsonb_array_elements_text(${ref('profile')} -> 'paymentOptions')`),
  countries: { value: raw`${ref('country')}`, same: raw`${ref('country')}` },
  cities: { value: raw`${ref('city')}`, same: indexed.city },
  services: {
    from: raw`join service_items on ${service('serviceItems.locationId')} = shown.id`,
    value: raw`${service('title')}`,
    same: raw`lower(${service('title')})`,
    translations: raw`max(${service('serviceItems.translations')}::text)`,
  },
};

/** The most frequent values of public locations. */
export async function frequentValues(sql: Sql, filter: MapFilter, kind: ValueKind, limit: number) {
  const { from = raw``, value, same, translations = raw`'{}'` } = sources[kind];
  const shown = matching(sql, filter).select(['id', 'categories', 'labelIds', 'profile', 'country', 'city']);
  const { rows } = await raw<{ value: string; translations: string }>`
    select min(${value}) as value, ${translations} as translations from ${shown} as shown ${from}
    group by ${same} order by count(*) desc, ${same} limit ${limit}`.execute(db(sql));
  return rows.map(({ value: text, translations: words }) => ({ value: text, translations: titlesIn(words) }));
}

function titlesIn(text: string): Record<string, string> {
  const words = Object.entries(JSON.parse(text) as Record<string, { title?: string }>);
  return Object.fromEntries(words.flatMap(([language, { title }]) => (title ? [[language, title]] : [])));
}
