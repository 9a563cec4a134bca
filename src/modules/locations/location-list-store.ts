import { addCursorCondition, Conditions, cursorCondition, type ListOrder, orderBy } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countMatching } from '../../database/counting.ts';
import { type Reach, withinReach } from '../../http/access.ts';
import type { Location, LocationStatus } from './location.ts';
import { someColumns } from './location-columns.ts';

export interface LocationFilter {
  ids?: readonly number[];
  identifiers?: readonly string[];
  businessIds?: readonly number[];
  statuses?: readonly LocationStatus[];
  /** Locations with at least one of these labels. */
  labelIds?: readonly number[];
  cities?: readonly string[];
  zips?: readonly string[];
  countries?: readonly string[];
  categories?: readonly number[];
  /** All words must match; the last one may be a prefix. */
  query?: string;
  updatedSince?: Date;
}

export const sortableFields = ['id', 'name', 'city', 'dateCreated', 'lastUpdated'] as const;

/** Must equal the index expressions; the indexes end with the id. */
const sortExpressions: Record<(typeof sortableFields)[number], string> = {
  id: 'id',
  name: 'lower(name)',
  city: 'lower(city)',
  dateCreated: 'date_created',
  lastUpdated: 'last_updated',
};

export interface LocationOrder {
  sort: (typeof sortableFields)[number];
  descending: boolean;
}

export interface LocationQuery {
  partnerId: number;
  reach: Reach;
  filter: LocationFilter;
}

export interface LocationPage {
  offset: number;
  limit: number;
  /** Id of the last location of the previous page. */
  after?: number;
}

export type FoundLocation = Pick<Location, 'id'> & Partial<Location>;

/** A page of locations with only the named properties. */
export async function listLocations(
  sql: Sql,
  wanted: LocationQuery,
  order: LocationOrder,
  page: LocationPage,
  fields: ReadonlySet<string>,
): Promise<FoundLocation[]> {
  const conditions = conditionsOf(wanted);
  const byIndex = listOrder(order, sortExpressions[order.sort]);
  addCursorCondition(conditions, byIndex, 'locations', page.after);
  // Not prepared: the best plan depends on how selective the filter values are.
  const { rows } = await sql.query<FoundLocation>(
    `select ${someColumns(new Set(['id', ...fields]))} from locations ${conditions.where}
     order by ${orderBy(byIndex)}
     offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

/**
 * A page of text search results, and their count up to the limit. Few results are sorted in memory; with more, a scan
 * of the sort index finds a page sooner.
 */
export async function searchLocations(
  sql: Sql,
  wanted: LocationQuery,
  order: LocationOrder,
  page: LocationPage,
  fields: ReadonlySet<string>,
  limit: number,
): Promise<{ counted: number; found: FoundLocation[] }> {
  const { counted, ids } = await findWords(sql, wanted, order, page, limit);
  if (counted === limit) return { counted, found: await listLocations(sql, wanted, order, page, fields) };
  if (ids.length === 0) return { counted, found: [] };
  const { query: _, ...filter } = wanted.filter;
  const onPage = { ...wanted, filter: { ...filter, ids } };
  return { counted, found: await listLocations(sql, onPage, order, { offset: 0, limit: page.limit }, fields) };
}

/** Counts the matches up to the limit and returns the ids of the page. */
async function findWords(sql: Sql, wanted: LocationQuery, order: LocationOrder, page: LocationPage, limit: number) {
  const conditions = conditionsOf(wanted);
  const { where } = conditions;
  const byPlace = listOrder(order, order.sort === 'id' ? 'id' : 'place');
  const isAfter = page.after === undefined ? 'true' : afterLast(order, byPlace, conditions, page.after);
  const first = `${conditions.value(page.offset)}::integer + 1`;
  const last = `${conditions.value(page.offset + page.limit)}::integer`;
  const { rows } = await sql.query<{ counted: number; ids: number[] | null }>(
    `select count(*) as counted,
            (array_agg(id order by ${orderBy(byPlace)}) filter (where ${isAfter}))[${first}:${last}] as ids
     from (
       select id, ${sortExpressions[order.sort]} as place from locations ${where} limit ${conditions.value(limit)}
     ) as matching`,
    conditions.values,
  );
  return { counted: rows[0]?.counted ?? 0, ids: rows[0]?.ids ?? [] };
}

const listOrder = ({ descending }: LocationOrder, by: string): ListOrder => ({ by, id: 'id', descending });

/** Keyset condition on the subquery's alias instead of the table's column. */
function afterLast({ sort }: LocationOrder, order: ListOrder, conditions: Conditions, last: number): string {
  const after = `${conditions.value(last)}::bigint`;
  // PostgreSQL does not use the index for a two-column subquery.
  const place = `(select ${sortExpressions[sort]} from locations where id = ${after} and partner_id = $1)`;
  return cursorCondition(order, after, place);
}

export function countLocations(sql: Sql, wanted: LocationQuery): Promise<Counted> {
  const conditions = conditionsOf(wanted);
  return countMatching(sql, 'locations', conditions);
}

/** Exact count. */
export async function countAllLocations(sql: Sql, wanted: LocationQuery): Promise<number> {
  const { where, values } = conditionsOf(wanted);
  const { rows } = await sql.query<{ count: number }>(`select count(*) from locations ${where}`, values);
  return rows[0]?.count ?? 0;
}

/** Ids of matching locations, up to the limit. */
export async function listLocationIds(sql: Sql, wanted: LocationQuery, limit: number): Promise<number[]> {
  const conditions = conditionsOf(wanted);
  const { rows } = await sql.query<{ id: number }>(
    `select id from locations ${conditions.where} order by id limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows.map(({ id }) => id);
}

/** Ids of the locations, their businesses and their labels, for matching audiences. */
export async function audienceOfLocations(sql: Sql, wanted: LocationQuery) {
  const conditions = conditionsOf(wanted);
  const { rows } = await sql.query<{ locationIds: number[]; businessIds: number[]; labelIds: number[] }>(
    `with meant as materialized (select id, business_id, label_ids from locations ${conditions.where})
     select array(select id from meant) as "locationIds",
            array(select distinct business_id from meant) as "businessIds",
            array(select distinct unnest(label_ids) from meant) as "labelIds"`,
    conditions.values,
  );
  return rows[0] ?? { locationIds: [], businessIds: [], labelIds: [] };
}

/** Excludes deleted locations unless the filter names statuses. */
function conditionsOf({ partnerId, reach, filter }: LocationQuery): Conditions {
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  withinReach(conditions, reach, { business: 'business_id', location: 'id' });
  const among = (column: string, values: readonly unknown[] | undefined, type: string) => {
    if (!values) return;
    // With one value the index returns sorted rows; with `= any` the server would have to sort them.
    const [only] = values;
    if (values.length === 1) conditions.add(`${column} = ${conditions.value(only)}::${type}`);
    else conditions.add(`${column} = any (${conditions.value(values)}::${type}[])`);
  };
  among('id', filter.ids, 'bigint');
  among('identifier', filter.identifiers, 'text');
  among('business_id', filter.businessIds, 'bigint');
  if (filter.statuses) among('status', filter.statuses, 'text');
  else conditions.add("status <> 'DELETED'");
  among(
    'lower(city)',
    filter.cities?.map((city) => city.toLowerCase()),
    'text',
  );
  // Must equal the index expression, which ignores spaces and hyphens.
  among(
    "translate(upper(zip), ' -', '')",
    filter.zips?.map((zip) => zip.toUpperCase().replace(/[ -]/g, '')),
    'text',
  );
  among('country', filter.countries, 'text');
  if (filter.labelIds) conditions.add(`label_ids && ${conditions.value(filter.labelIds)}::bigint[]`);
  if (filter.categories) conditions.add(`categories && ${conditions.value(filter.categories)}::bigint[]`);
  if (filter.updatedSince) conditions.add(`last_updated >= ${conditions.value(filter.updatedSince)}`);
  if (filter.query !== undefined) {
    conditions.add(`search @@ to_tsquery('simple', ${conditions.value(searchExpression(filter.query))})`);
  }
  return conditions;
}

/** A tsquery of all words, the last one as a prefix. Without words it is empty and matches no location. */
export function searchExpression(query: string): string {
  const words = query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length > 0 ? `${words.join(' & ')}:*` : '';
}
