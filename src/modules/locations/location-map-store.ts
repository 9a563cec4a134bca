import { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countMatching } from '../../database/counting.ts';
import type { Location } from './location.ts';
import { someColumns } from './location-columns.ts';
import { searchExpression } from './location-list-store.ts';
import { boxAround, earthRadiusKm, type SearchArea } from './map-box.ts';

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
type PublicLocation = Pick<Location, 'id'> & Partial<Location>;

/** Must equal the condition of the partial indexes. */
const isPublic = "status in ('ACTIVE', 'NEEDS_REVIEW')";

/** Hidden addresses are rounded to two decimals, about a kilometre. */
export const hiddenDecimals = 2;
const hiddenMargin = 10 ** -hiddenDecimals;
const publicCoordinate = (column: string) =>
  `case when address_display then ${column} else round(${column}::numeric, ${hiddenDecimals})::double precision end`;

/** Public text only, so that searches do not reveal hidden addresses, e-mail addresses or identifiers. */
const publicText = `to_tsvector('simple', translate(name || ' ' || coalesce(zip, '') || ' ' || city
  || case when address_display then ' ' || street || ' ' || coalesce(street_no, '') else '' end, '@./-_+&''', '        '))`;

/** Fractions of the radius to search in turn, so that dense areas read few rows. */
const rings = [1 / 64, 1 / 8, 1];

/** Nearest first, with the distance in kilometres. */
export async function listNearest(
  sql: Sql,
  filter: MapFilter,
  around: SearchArea,
  page: Page,
): Promise<{ id: number; distance: number }[]> {
  let found: { id: number; distance: number }[] = [];
  for (const share of rings) {
    found = await nearestWithin(sql, filter, { ...around, radiusKm: around.radiusKm * share }, page);
    if (found.length === page.limit) break;
  }
  return found;
}

async function nearestWithin(sql: Sql, filter: MapFilter, around: SearchArea, { offset, limit }: Page) {
  const { conditions, distance } = conditionsAround(filter, around);
  const { rows } = await sql.query<{ id: number; distance: number }>(
    `select id, ${distance} as distance from locations ${conditions.where}
     order by distance, id offset ${conditions.value(offset)} limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows;
}

export async function listByName(sql: Sql, filter: MapFilter, { offset, limit }: Page): Promise<{ id: number }[]> {
  const conditions = conditionsOf(filter);
  const { rows } = await sql.query<{ id: number }>(
    `select id from locations ${conditions.where}
     order by lower(name), id offset ${conditions.value(offset)} limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows;
}

export function countPublicLocations(sql: Sql, filter: MapFilter, around: SearchArea | undefined): Promise<Counted> {
  const conditions = around ? conditionsAround(filter, around).conditions : conditionsOf(filter);
  return countMatching(sql, 'locations', conditions);
}

/** All public locations, by id; `after` is the last id of the previous page. */
export async function listPublicLocations(
  sql: Sql,
  filter: MapFilter,
  { after, limit }: { after: number; limit: number },
  fields: ReadonlySet<string>,
): Promise<PublicLocation[]> {
  const conditions = conditionsOf(filter);
  conditions.add(`id > ${conditions.value(after)}`);
  const { rows } = await sql.query<PublicLocation>(
    `select ${someColumns(fields)} from locations ${conditions.where} order by id limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows;
}

/** Public locations with these ids, by id. */
export async function findPublicLocations(
  sql: Sql,
  filter: MapFilter,
  ids: readonly number[],
  fields: ReadonlySet<string>,
): Promise<Map<number, PublicLocation>> {
  if (ids.length === 0) return new Map();
  const conditions = conditionsOf(filter);
  conditions.add(`id = any (${conditions.value(ids)}::bigint[])`);
  const { rows } = await sql.query<PublicLocation>(
    `select ${someColumns(fields)} from locations ${conditions.where}`,
    conditions.values,
  );
  return new Map(rows.map((location) => [location.id, location]));
}

function conditionsAround(filter: MapFilter, around: SearchArea): { conditions: Conditions; distance: string } {
  const conditions = conditionsOf(filter);
  const number = (value: number) => `${conditions.value(value)}::double precision`;
  const { south, north, lngRanges } = boxAround(around, hiddenMargin);
  conditions.add(`lat between ${number(south)} and ${number(north)}`);
  const ranges = lngRanges.map(([west, east]) => `lng between ${number(west)} and ${number(east)}`);
  conditions.add(`(${ranges.join(' or ')})`);
  const distance = distanceFrom(number(around.lat), number(around.lng));
  conditions.add(`${distance} <= ${number(around.radiusKm)}`);
  return { conditions, distance };
}

const distanceFrom = (lat: string, lng: string) => `${2 * earthRadiusKm} * asin(least(1, sqrt(
    sin(radians(${publicCoordinate('lat')} - ${lat}) / 2) ^ 2
    + cos(radians(${lat})) * cos(radians(${publicCoordinate('lat')})) * sin(radians(${publicCoordinate('lng')} - ${lng}) / 2) ^ 2)))`;

function conditionsOf(filter: MapFilter): Conditions {
  const conditions = new Conditions(filter.partnerId).add('partner_id = $1').add(isPublic);
  const among = (column: string, values: readonly unknown[] | undefined, type: string) => {
    if (values) conditions.add(`${column} = any (${conditions.value(values)}::${type}[])`);
  };
  among('business_id', filter.businessIds, 'bigint');
  for (const ids of filter.labelLists ?? []) conditions.add(`label_ids && ${conditions.value(ids)}::bigint[]`);
  among('lower(city)', filter.cities?.map(lowerCase), 'text');
  among("translate(upper(zip), ' -', '')", filter.zips?.map(plainZip), 'text');
  among('country', filter.countries, 'text');
  if (filter.categories) conditions.add(`categories && ${conditions.value(filter.categories)}::bigint[]`);
  if (filter.paymentOptions) {
    conditions.add(`profile -> 'paymentOptions' ?| ${conditions.value(filter.paymentOptions)}::text[]`);
  }
  if (filter.serviceTitles) {
    const titles = conditions.value(filter.serviceTitles.map(lowerCase));
    conditions.add(
      `id in (select location_id from service_items where partner_id = $1 and lower(title) = any (${titles}::text[]))`,
    );
  }
  if (filter.query !== undefined) {
    const words = `to_tsquery('simple', ${conditions.value(searchExpression(filter.query))})`;
    conditions.add(`search @@ ${words}`).add(`${publicText} @@ ${words}`);
  }
  return conditions;
}

const lowerCase = (text: string) => text.toLowerCase();
const plainZip = (zip: string) => zip.toUpperCase().replace(/[ -]/g, '');

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
const sources: Record<ValueKind, { from: string; value: string; same: string; translations?: string }> = {
  categories: { from: ', unnest(categories) as entry', value: 'entry::text', same: 'entry' },
  labels: { from: ', unnest(label_ids) as entry', value: 'entry::text', same: 'entry' },
  paymentOptions: {
    from: ", jsonb_array_elements_text(profile -> 'paymentOptions') as entry",
    value: 'entry',
    same: 'entry',
  },
  countries: { from: '', value: 'country', same: 'country' },
  cities: { from: '', value: 'city', same: 'lower(city)' },
  services: {
    from: ' join service_items on service_items.location_id = shown.id',
    value: 'title',
    same: 'lower(title)',
    translations: 'max(service_items.translations::text)',
  },
};

/** The most frequent values of public locations. */
export async function frequentValues(
  sql: Sql,
  filter: MapFilter,
  kind: ValueKind,
  limit: number,
): Promise<LocationValue[]> {
  const conditions = conditionsOf(filter);
  const { from, value, same, translations = "'{}'" } = sources[kind];
  const { rows } = await sql.query<{ value: string; translations: string }>(
    `select min(${value}) as value, ${translations} as translations
     from (select id, categories, label_ids, profile, country, city from locations ${conditions.where}) as shown ${from}
     group by ${same} order by count(*) desc, ${same} limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows.map(({ value: text, translations: words }) => ({ value: text, translations: titlesIn(words) }));
}

function titlesIn(text: string): Record<string, string> {
  const words = Object.entries(JSON.parse(text) as Record<string, { title?: string }>);
  return Object.fromEntries(words.flatMap(([language, { title }]) => (title ? [[language, title]] : [])));
}
