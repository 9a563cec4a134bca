import type { Expression } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countAll, countOf, lastIdOf, type Snapshot } from '../../database/counting.ts';
import {
  afterRow,
  anyOf,
  compileOnce,
  db,
  inOrder,
  type ListOrder,
  type Placeholders,
  raw,
  unprepared,
} from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { inReach, type Reach } from '../../http/access.ts';
import { type CursorPage, cursorPage, type PageQuery } from '../../http/pagination.ts';
import type { Location, LocationStatus } from './location.ts';
import { allColumns, indexed, selectFields } from './location-columns.ts';

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
  /** Text search, by `searchExpression`. */
  query?: string;
  updatedSince?: Date;
}

export const sortableFields = ['id', 'name', 'city', 'dateCreated', 'lastUpdated'] as const;

export interface LocationOrder {
  sort: (typeof sortableFields)[number];
  descending: boolean;
}

export interface LocationQuery {
  partnerId: number;
  reach: Reach;
  filter: LocationFilter;
}

interface LocationPage {
  offset: number;
  limit: number;
  /** Id of the last location of the previous page. */
  after?: number;
}

export type FoundLocation = Pick<Location, 'id'> & Partial<Location>;

/** A page of locations with only the named properties; undefined means all. */
export function listLocations(
  sql: Sql,
  wanted: LocationQuery,
  order: LocationOrder,
  page: LocationPage,
  fields: ReadonlySet<string> | undefined,
): Promise<FoundLocation[]> {
  const { partnerId } = wanted;
  const { offset, limit, after } = page;
  if (!fields && isUnfiltered(wanted) && order.sort === 'id' && !order.descending) {
    return run(sql, unfilteredLocations, [partnerId, after ?? 0, offset, limit]);
  }
  return selectPage(
    sql,
    { wanted, order, after, fields: fields && [...fields], hasIds: false },
    { offset, limit, ids: [] },
  );
}

/** A page of `max` locations, with its cursor. */
export async function listPage(
  sql: Sql,
  wanted: LocationQuery,
  order: LocationOrder,
  { max, ...page }: PageQuery,
  fields: ReadonlySet<string> | undefined,
): Promise<CursorPage<FoundLocation>> {
  const found = await listLocations(sql, wanted, order, { ...page, limit: max + 1 }, fields);
  return cursorPage(found, max, ({ id }) => id);
}

interface PageInput {
  wanted: LocationQuery;
  order: LocationOrder;
  after: number | undefined;
  fields: readonly string[] | undefined;
  hasIds: boolean;
}

const selectPage = compileOnce(
  (
    sql,
    { wanted, order, after, fields, hasIds }: PageInput,
    { offset, limit, ids }: Placeholders<{ offset: number; limit: number; ids: readonly number[] }>,
  ) => {
    const byIndex = listOrder(order);
    let locations = matching(sql, wanted);
    if (hasIds) locations = locations.where(({ ref }) => raw<boolean>`${ref('id')} = any (${ids}::bigint[])`);
    if (after !== undefined) locations = locations.where(afterRow('locations', byIndex, wanted.partnerId, after));
    return inOrder(selectFields(locations, fields && new Set(['id', ...fields])), byIndex)
      .offset(offset)
      .limit(limit);
  },
);

const isUnfiltered = ({ reach, filter }: LocationQuery) =>
  (reach.businessIds === null || reach.locationIds === null) && Object.keys(filter).length === 0;

/** The default list of the API. Its text is built once, unlike that of filtered lists. */
const unfilteredLocations = defineStatement<Location>({
  name: 'list-locations',
  text: `select ${allColumns.text} from locations
         where partner_id = $1 and status <> 'DELETED' and id > $2 order by id offset $3 limit $4`,
  columns: allColumns.columns,
});

const listOrder = ({ sort, descending }: LocationOrder): ListOrder => ({
  by: sort === 'id' ? undefined : indexed[sort],
  descending,
});

/** Up to this number, search results are sorted in memory. Above it, a scan of the sort index finds a page sooner. */
const maxSortedInMemory = 1000;

/** A page of `max` text search results, and their count. */
export async function searchLocations(
  sql: Sql,
  wanted: LocationQuery,
  order: LocationOrder,
  page: PageQuery,
  fields: ReadonlySet<string> | undefined,
): Promise<{ counted: Counted; found: CursorPage<FoundLocation> }> {
  const limit = maxSortedInMemory + 1;
  const { query = '', ...filter } = wanted.filter;
  const besideWords = { ...wanted, filter };
  const { after, offset, max } = page;
  // At most `limit` ids are aggregated, and array subscripts are 32-bit.
  const end = Math.min(offset + max + 1, limit);
  const values = { words: query, offset: Math.min(offset, limit), end, limit };
  const [matches] = await selectMatches(sql, { wanted: besideWords, order, after }, values);
  const { counted: count, ids } = matches ?? { counted: 0, ids: null };
  if (count === limit) {
    const found = await listPage(sql, wanted, order, page, fields);
    return { counted: await countLocations(sql, wanted), found };
  }
  const counted = { count, countIsExact: true };
  const matched = cursorPage(ids ?? [], max, (id) => id);
  if (matched.entries.length === 0) return { counted, found: { entries: [], after: undefined } };
  const input = { wanted: besideWords, order, after: undefined, fields: fields && [...fields], hasIds: true };
  // Without locations that no longer match the filter. The cursor comes from the matches.
  const entries = await selectPage(sql, input, { offset: 0, limit: max, ids: matched.entries });
  return { counted, found: { entries, after: matched.after } };
}

/** Counts the matches up to the limit and returns the ids of the page. */
const selectMatches = compileOnce(
  (
    sql,
    { wanted, order, after }: Pick<PageInput, 'wanted' | 'order' | 'after'>,
    { words, offset, end, limit }: Placeholders<{ words: string; offset: number; end: number; limit: number }>,
  ) => {
    const { by, descending } = listOrder(order);
    const found = matching(sql, wanted)
      .where(({ ref }) => raw<boolean>`${ref('search')} @@ to_tsquery('simple', ${words})`)
      .select(['id', (by ?? raw.ref('id')).as('sortValue')])
      .limit(limit);
    const direction = raw.raw(descending ? 'desc' : 'asc');
    const sorted = by ? raw`sort_value ${direction}, id ${direction}` : raw`id ${direction}`;
    const isAfter = after === undefined ? raw`true` : afterSorted(sql, wanted.partnerId, listOrder(order), after);
    const ids = raw<number[] | null>`(array_agg(id order by ${sorted}) filter (where ${isAfter}))
      [${offset}::integer + 1:${end}::integer]`;
    return db(sql)
      .selectFrom(found.as('matching'))
      .select(({ fn }) => [fn.countAll<number>().as('counted'), ids.as('ids')]);
  },
);

/** Keyset condition on the subquery's alias instead of the table's column. */
function afterSorted(sql: Sql, partnerId: number, { by, descending }: ListOrder, lastId: number) {
  const operator = raw.raw(descending ? '<' : '>');
  if (!by) return raw`id ${operator} ${lastId}::bigint`;
  // PostgreSQL does not use the index for a two-column subquery.
  const lastValue = ofPartner(sql, partnerId).select(by.as('sortValue')).where('id', '=', lastId);
  return raw`(sort_value, id) ${operator} (${lastValue}, ${lastId}::bigint)`;
}

export const countLocations = (sql: Sql, wanted: LocationQuery): Promise<Counted> =>
  countOf(sql, {
    table: 'locations',
    key: `locations ${JSON.stringify(wanted)}`,
    partnerId: wanted.partnerId,
    upTo: (limit, since) => snapshot(sql, { wanted, countsAll: false }, limit, since),
    total: {
      key: `locations ${wanted.partnerId}`,
      count: () => snapshot(sql, { wanted, countsAll: true }, null, 0),
    },
  });

interface CountInput {
  wanted: LocationQuery;
  /** Counts all locations of the partner instead of the wanted ones. */
  countsAll: boolean;
}

async function snapshot(sql: Sql, input: CountInput, limit: number | null, since: number): Promise<Snapshot> {
  const countsAdded = since > 0;
  const [found] = await selectSnapshot(
    countsAdded ? unprepared(sql) : sql,
    { ...input, countsAdded },
    { limit, since },
  );
  return found ?? { count: 0, lastId: 0 };
}

const selectSnapshot = compileOnce(
  (
    sql,
    { wanted, countsAll, countsAdded }: CountInput & { countsAdded: boolean },
    { limit, since }: Placeholders<{ limit: number | null; since: number }>,
  ) => {
    const rows = countsAll ? ofPartner(sql, wanted.partnerId) : matching(sql, wanted);
    const counted = countsAdded ? rows.where('id', '>', since) : rows;
    return db(sql)
      .selectFrom(counted.select(raw`1`.as('one')).limit(limit).as('matching'))
      .select([raw<number>`count(*)`.as('count'), lastIdOf(sql, 'locations')]);
  },
);

/** Exact count. */
export const countAllLocations = (sql: Sql, wanted: LocationQuery): Promise<number> => countAll(matching(sql, wanted));

/** Ids of matching locations, up to the limit. */
export async function listLocationIds(sql: Sql, wanted: LocationQuery, limit: number): Promise<number[]> {
  const rows = await matching(sql, wanted).select('id').orderBy('id').limit(limit).execute();
  return rows.map(({ id }) => id);
}

/** Locks matching locations, up to the limit. After a wait for another change, only those that still match. */
export async function lockMatchingLocations(
  transaction: Transaction,
  wanted: LocationQuery,
  limit: number,
): Promise<number[]> {
  const rows = await matching(transaction, wanted).select('id').orderBy('id').limit(limit).forUpdate().execute();
  return rows.map(({ id }) => id);
}

/** Ids of the locations, their businesses and their labels, for matching audiences. */
export const audienceOfLocations = (sql: Sql, wanted: LocationQuery) =>
  db(sql)
    .with(
      (cte) => cte('meant').materialized(),
      () => matching(sql, wanted).select(['id', 'businessId', 'labelIds']),
    )
    .selectNoFrom(({ selectFrom }) => {
      const labelIds = selectFrom('meant').select(({ fn }) => fn<number>('unnest', ['labelIds']).as('labelId'));
      return [
        raw<number[]>`array${selectFrom('meant').select('id')}`.as('locationIds'),
        raw<number[]>`array${selectFrom('meant').select('businessId').distinct()}`.as('businessIds'),
        raw<number[]>`array${labelIds.distinct()}`.as('labelIds'),
      ];
    })
    .executeTakeFirstOrThrow();

const ofPartner = (sql: Sql, partnerId: number) => db(sql).selectFrom('locations').where('partnerId', '=', partnerId);

/** Excludes deleted locations unless the filter names statuses. */
function matching(sql: Sql, { partnerId, reach, filter }: LocationQuery) {
  let locations = inReach(ofPartner(sql, partnerId), reach, { business: 'businessId', location: 'id' });
  if (!filter.statuses) locations = locations.where('status', '<>', raw.lit('DELETED'));
  const { labelIds, categories, updatedSince, query } = filter;
  if (labelIds) locations = locations.where(({ ref }) => raw`${ref('labelIds')} && ${labelIds}::bigint[]`);
  if (categories) locations = locations.where(({ ref }) => raw`${ref('categories')} && ${categories}::bigint[]`);
  if (updatedSince) locations = locations.where('lastUpdated', '>=', updatedSince);
  if (query !== undefined)
    locations = locations.where(({ ref }) => raw`${ref('search')} @@ to_tsquery('simple', ${query})`);
  const cities = filter.cities?.map((city) => city.toLowerCase());
  const zips = filter.zips?.map(plainZip);
  return locations.where(({ and, ref }) =>
    and([
      ...isAmong(ref('id'), filter.ids, 'bigint'),
      ...isAmong(ref('identifier'), filter.identifiers, 'text'),
      ...isAmong(ref('businessId'), filter.businessIds, 'bigint'),
      ...isAmong(ref('status'), filter.statuses, 'text'),
      ...isAmong(indexed.city, cities, 'text'),
      ...isAmong(indexed.zip, zips, 'text'),
      ...isAmong(ref('country'), filter.countries, 'text'),
    ]),
  );
}

/** With one value the index returns sorted rows; with `= any` the server would have to sort them. */
function isAmong<T extends number | string>(
  column: Expression<T | null>,
  values: readonly T[] | undefined,
  type: 'bigint' | 'text',
) {
  if (!values) return [];
  const [only] = values;
  return [raw<boolean>`${column} = ${values.length === 1 ? raw`${only}::${raw.raw(type)}` : anyOf<T>(values, type)}`];
}

/** As in the index on zip. */
export const plainZip = (zip: string): string => zip.toUpperCase().replace(/[ -]/g, '');

/**
 * A tsquery of all words, the last one as a prefix, or of one of the phone numbers: they are stored as one word.
 * Without words it is empty and matches no location.
 */
export function searchExpression(query: string, phones: readonly string[] = []): string {
  const words = query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length === 0) return '';
  return [words.join(' & '), ...phones].map((expression) => `${expression}:*`).join(' | ');
}

/** Countries of the partner's locations. Reads one row of the index per country. */
export async function countriesOf(sql: Sql, partnerId: number): Promise<string[]> {
  return (await run(sql, selectCountries, [partnerId])).map(({ country }) => country);
}

const selectCountries = defineStatement<{ country: string }>({
  name: 'countries-of-locations',
  text: `with recursive found as (
           (select country from locations where partner_id = $1 order by country limit 1)
           union all
           select (select country from locations where partner_id = $1 and country > found.country
                   order by country limit 1)
           from found where country is not null
         )
         select country from found where country is not null`,
  columns: { country: 'text' },
});
