import { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countMatching } from '../../database/counting.ts';
import { addCursorCondition, cursorCondition, type ListOrder, orderBy } from '../../database/list-order.ts';
import { type Reach, withinReach } from '../../http/access.ts';
import type { Location, LocationStatus } from './location.ts';
import { someColumns } from './location-columns.ts';

export interface LocationFilter {
  ids?: readonly number[];
  identifiers?: readonly string[];
  businessIds?: readonly number[];
  statuses?: readonly LocationStatus[];
  /** Locations with any of these. */
  labelIds?: readonly number[];
  cities?: readonly string[];
  zips?: readonly string[];
  countries?: readonly string[];
  categories?: readonly number[];
  /** Words that must all be there; the last one may be only begun. */
  query?: string;
  updatedSince?: Date;
}

export const sortableFields = ['id', 'name', 'city', 'dateCreated', 'lastUpdated'] as const;

/** As the indexes have them, each with the id behind it. */
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

export interface Wanted {
  partnerId: number;
  reach: Reach;
  filter: LocationFilter;
}

export interface LocationPage {
  offset: number;
  limit: number;
  /** The last one of the page before. */
  after?: number;
}

export type FoundLocation = Pick<Location, 'id'> & Partial<Location>;

/** A page of locations with no more than the named properties, read in its order. */
export async function listLocations(
  sql: Sql,
  wanted: Wanted,
  order: LocationOrder,
  page: LocationPage,
  fields: ReadonlySet<string>,
): Promise<FoundLocation[]> {
  const conditions = conditionsOf(wanted);
  const byIndex = listOrder(order, sortExpressions[order.sort]);
  addCursorCondition(conditions, byIndex, 'locations', page.after);
  // Not prepared: what is rare and what is frequent decides the plan.
  const { rows } = await sql.query<FoundLocation>(
    `select ${someColumns(new Set(['id', ...fields]))} from locations ${conditions.where}
     order by ${orderBy(byIndex)}
     offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

/**
 * A page of those that have the words, and how many there are, if not more than the limit. So few are all looked at to
 * put them in order; of more, reading the list in its order finds a page soon.
 */
export async function searchLocations(
  sql: Sql,
  wanted: Wanted,
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

/** How many have the words, and which of them are on the page, unless there are as many as the limit. */
async function findWords(sql: Sql, wanted: Wanted, order: LocationOrder, page: LocationPage, limit: number) {
  const conditions = conditionsOf(wanted);
  const { where } = conditions;
  const byPlace = listOrder(order, order.sort === 'id' ? 'id' : 'place');
  const isFurther = page.after === undefined ? 'true' : behindLast(order, byPlace, conditions, page.after);
  const first = `${conditions.value(page.offset)}::integer + 1`;
  const last = `${conditions.value(page.offset + page.limit)}::integer`;
  const { rows } = await sql.query<{ counted: number; ids: number[] | null }>(
    `select count(*) as counted,
            (array_agg(id order by ${orderBy(byPlace)}) filter (where ${isFurther}))[${first}:${last}] as ids
     from (
       select id, ${sortExpressions[order.sort]} as place from locations ${where} limit ${conditions.value(limit)}
     ) as matching`,
    conditions.values,
  );
  return { counted: rows[0]?.counted ?? 0, ids: rows[0]?.ids ?? [] };
}

const listOrder = ({ descending }: LocationOrder, by: string): ListOrder => ({ by, id: 'id', descending });

/** Behind the last one of another page, where the order is known by another name than in the table. */
function behindLast({ sort }: LocationOrder, order: ListOrder, conditions: Conditions, last: number): string {
  const after = `${conditions.value(last)}::bigint`;
  // A subquery of two columns could not be looked up in the index.
  const place = `(select ${sortExpressions[sort]} from locations where id = ${after} and partner_id = $1)`;
  return cursorCondition(order, after, place);
}

export function countLocations(sql: Sql, wanted: Wanted): Promise<Counted> {
  const conditions = conditionsOf(wanted);
  return countMatching(sql, 'locations', conditions);
}

/** For figures: how many there are, exactly. */
export async function countAllLocations(sql: Sql, wanted: Wanted): Promise<number> {
  const { where, values } = conditionsOf(wanted);
  const { rows } = await sql.query<{ count: number }>(`select count(*) from locations ${where}`, values);
  return rows[0]?.count ?? 0;
}

/** The ids of those that fit, if not more than the limit. */
export async function listLocationIds(sql: Sql, wanted: Wanted, limit: number): Promise<number[]> {
  const conditions = conditionsOf(wanted);
  const { rows } = await sql.query<{ id: number }>(
    `select id from locations ${conditions.where} order by id limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows.map(({ id }) => id);
}

/** What something can be meant for by way of these locations: they themselves, their businesses and their labels. */
export async function audienceOfLocations(sql: Sql, wanted: Wanted) {
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

/** Deleted locations are there only for those who ask for them. */
function conditionsOf({ partnerId, reach, filter }: Wanted): Conditions {
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  withinReach(conditions, reach, { business: 'business_id', location: 'id' });
  const among = (column: string, values: readonly unknown[] | undefined, type: string) => {
    if (!values) return;
    // One value is looked up in an index that has its entries in order; of a list the server would have to sort them.
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
  // As the index has them: spaces and hyphens make no difference.
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

/** Words of letters and digits, as the search column has them. Nothing to look for finds nothing. */
export function searchExpression(query: string): string {
  const words = query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length > 0 ? `${words.join(' & ')}:*` : '';
}
