import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countOf, type Snapshot, snapshotOf } from '../../../database/counting.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import type { Direction } from '../../../http/pagination.ts';
import { type Datapoint, type DatapointStatus, datapointStatuses } from './datapoint.ts';
import type { DatapointFilter } from './datapoint-filter.ts';
import { datapointColumns } from './datapoint-store.ts';
import { type InboxSort, type Position, sortColumns } from './inbox-order.ts';

/** What is looked for, by whom. */
export interface InboxSearch {
  partnerId: number;
  reach: Reach;
  filter: DatapointFilter;
  /** Whether labels for administrators are nothing to look for by. */
  publicLabelsOnly?: boolean;
  sort: InboxSort;
  order: Direction;
}

export type InboxEntry = Datapoint & { position: Position };

export interface InboxPage {
  offset: number;
  limit: number;
  after?: Position;
}

/** A page of an inbox, read in its order. */
export async function listInbox(sql: Sql, search: InboxSearch, page: InboxPage): Promise<InboxEntry[]> {
  const conditions = conditionsOf(search);
  const { order } = search;
  const names = sortColumns[search.sort].map(({ column }) => column);
  if (page.after) conditions.add(behind(search, conditions, page.after));
  const inOrder = `order by ${names.map((name) => `${name} ${order}`).join(', ')}`;
  const found = roadsOf(search, conditions).map(
    ({ from, where }) => `
      (select found.* from ${from} cross join lateral (
         select ${names.join(', ')} from datapoints ${conditions.where} and ${where}
         ${inOrder} limit ${conditions.value(page.offset + page.limit)}
       ) as found)`,
  );
  const { rows } = await sql.query<InboxEntry>(
    `with page as (
       select * from (${found.join(' union all ')}) as found
       ${inOrder} offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}
     )
     select ${entryColumns(names)} from page join datapoints on datapoints.id = page.id
     order by ${names.map((name) => `page.${name} ${order}`).join(', ')}`,
    conditions.values,
  );
  return rows;
}

/** Words to look for in some months: what the index is asked for, and whether each row has to be looked at again. */
export interface WordSearch {
  months: readonly number[];
  words: string;
  hasExclusions: boolean;
}

/**
 * The first entries of those with the words, read all and put in order: the database cannot foresee how rare a word is,
 * and would go through the whole inbox in its order to find the first. With more than `most` of them there are none.
 */
export async function findWords(
  sql: Sql,
  search: InboxSearch,
  sought: WordSearch,
  page: { limit: number; after?: Position },
  most: number,
): Promise<{ counted: number; entries: InboxEntry[] }> {
  const conditions = wordConditions(search, sought);
  const names = sortColumns[search.sort].map(({ column }) => column);
  const inOrder = names.map((name) => `${name} ${search.order}`).join(', ');
  const limit = conditions.value(most + 1);
  const found = roadsOf(search, conditions).map(
    ({ from, where }) => `
      (select found.* from ${from} cross join lateral (
         select ${names.join(', ')} from datapoints ${conditions.where} and ${where} offset 0
       ) as found limit ${limit})`,
  );
  const { rows } = await sql.query<{ counted: number } & (InboxEntry | { id: null })>(
    `with matching as materialized (select * from (${found.join(' union all ')}) as found limit ${limit}),
     page as (
       select * from matching
       where (select count(*) from matching) < ${limit}
         ${page.after ? `and ${behind(search, conditions, page.after)}` : ''}
       order by ${inOrder} limit ${conditions.value(page.limit)}
     )
     select (select count(*) from matching) as counted, ${entryColumns(names)}
     from (select) as always left join page on true left join datapoints on datapoints.id = page.id
     order by ${names.map((name) => `page.${name} ${search.order}`).join(', ')}`,
    conditions.values,
  );
  return { counted: rows[0]?.counted ?? 0, entries: rows.filter((row) => row.id !== null) };
}

function wordConditions(search: InboxSearch, { months, words, hasExclusions }: WordSearch): Conditions {
  const { query: _, ...filter } = search.filter;
  const conditions = conditionsOf(hasExclusions ? search : { ...search, filter });
  const given = `${conditions.value(words)}::tsquery`;
  return conditions.add(
    `search @@ (${months.map((month) => `words_of($1, ${conditions.value(month)}, ${given})`).join(' || ')})`,
  );
}

/** The words that a text must have for a query, or null if it may have none of them. */
export async function wordsOf(sql: Sql, query: string): Promise<string | null> {
  const { rows } = await sql.query<{ words: string }>(`select querytree(websearch_to_tsquery('simple', $1)) as words`, [
    query,
  ]);
  const words = rows[0]?.words ?? '';
  return words === 'T' || words === '' ? null : words;
}

/** The first and the last month in which anything happened, or null. */
export async function inboxMonths(sql: Sql, partnerId: number): Promise<{ first: number; last: number } | null> {
  const end = (status: DatapointStatus, order: Direction) =>
    `(select thread_action_date from datapoints where partner_id = $1 and status = '${status}'
      order by thread_action_date ${order}, id ${order} limit 1)`;
  const { rows } = await sql.query<{ first: number | null; last: number | null }>(
    `select month_of(least(${datapointStatuses.map((status) => end(status, 'ASC')).join(', ')})) as first,
       month_of(greatest(${datapointStatuses.map((status) => end(status, 'DESC')).join(', ')})) as last`,
    [partnerId],
  );
  const { first = null, last = null } = rows[0] ?? {};
  return first === null || last === null ? null : { first, last };
}

const entryColumns = (names: readonly string[]) =>
  `${datapointColumns}, array[${names.map((name) => `datapoints.${name}::text`).join(', ')}] as position`;

/** Behind where another page ended. */
function behind({ sort, order }: InboxSearch, conditions: Conditions, after: Position): string {
  const columns = sortColumns[sort];
  const bounds = columns.map(({ type }, index) => `${conditions.value(after[index])}::${type}`);
  return `(${columns.map(({ column }) => column).join(', ')}) ${order === 'DESC' ? '<' : '>'} (${bounds.join(', ')})`;
}

/** How many there are. Of words, `sought` says where to look for them. */
export function countInbox(sql: Sql, search: InboxSearch, sought?: WordSearch): Promise<Counted> {
  const { partnerId, filter, sort, order: _, ...who } = search;
  const all: InboxSearch = { ...search, reach: unlimited, filter: { status: [...datapointStatuses] } };
  return countOf(sql, {
    key: `datapoints ${JSON.stringify([partnerId, filter, sort === 'rating', who, sought?.months.length])}`,
    owner: partnerId,
    upTo: (limit, since) => snapshot(sql, search, limit, since, sought),
    total: { key: `datapoints ${partnerId}`, count: () => snapshot(sql, all, null, 0) },
  });
}

const unlimited: Reach = { businessIds: null, locationIds: null };

function snapshot(
  sql: Sql,
  search: InboxSearch,
  limit: number | null,
  since: number,
  sought?: WordSearch,
): Promise<Snapshot> {
  const conditions = sought ? wordConditions(search, sought) : conditionsOf(search);
  if (since > 0) conditions.add(`id > ${since}`);
  const most = conditions.value(limit);
  const found = roadsOf(search, conditions).map(
    ({ from, where }) => `
      (select from ${from} cross join lateral (
         select from datapoints ${conditions.where} and ${where} limit ${most}
       ) as found limit ${most})`,
  );
  const counting = `select count(*) from (select from (${found.join(' union all ')}) as found limit ${most}) as matching`;
  return snapshotOf(sql, 'datapoints', counting, conditions.values);
}

/**
 * By which way a search goes: along the places that it names, or through the whole inbox. Each place has an index of its
 * own in the order of the inbox, so that the newest of each are read and merged; a condition on many places at once
 * would have all of their datapoints read and sorted.
 */
type Way = 'locations' | 'pages' | 'businesses' | 'reach' | 'inbox';

function wayOf({ filter, reach, sort }: InboxSearch): Way {
  if (filter.locationIds) return 'locations';
  if (filter.directoryBusinessPageIds) return 'pages';
  // Businesses are large, and their index knows one order only.
  if (sort !== 'threadActionDate') return 'inbox';
  if (filter.businessIds) return 'businesses';
  return isFew(reach.businessIds) && isFew(reach.locationIds) ? 'reach' : 'inbox';
}

/** Beyond so many places one reading of the whole inbox is less work. */
const isFew = (ids: readonly number[] | null) => ids !== null && ids.length <= 2000;

function roadsOf(search: InboxSearch, conditions: Conditions): { from: string; where: string }[] {
  const { filter, reach } = search;
  const along = (column: string, ids: readonly number[] = []) => ({
    from: `unnest(${conditions.value([...new Set(ids)])}::bigint[]) as road (id)`,
    where: `${column} = road.id`,
  });
  const roads = {
    locations: () => [along('location_id', filter.locationIds)],
    pages: () => [along('page_id', filter.directoryBusinessPageIds)],
    businesses: () => [along('business_id', filter.businessIds)],
    reach: () => {
      const businessIds = reach.businessIds ?? [];
      const { from, where } = along('location_id', reach.locationIds ?? []);
      const elsewhere = `business_id <> all (${conditions.value(businessIds)}::bigint[])`;
      return [along('business_id', businessIds), { from, where: `${where} and ${elsewhere}` }];
    },
    inbox: () => [{ from: '(select) as road', where: 'true' }],
  };
  const statuses = new Set(filter.status ?? ['VALID']);
  return roads[wayOf(search)]().flatMap(({ from, where }) =>
    [...statuses].map((status) => ({ from, where: `${where} and status = '${status}'` })),
  );
}

/** All but the status and the places of the roads. */
function conditionsOf(search: InboxSearch): Conditions {
  const { partnerId, reach, filter, sort, publicLabelsOnly = false } = search;
  const way = wayOf(search);
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  oneOf(conditions, 'type', 'text', filter.types);
  oneOf(conditions, 'directory_type', 'text', filter.directoryTypes);
  if (way !== 'locations') oneOf(conditions, 'location_id', 'bigint', filter.locationIds);
  if (way !== 'businesses') oneOf(conditions, 'business_id', 'bigint', filter.businessIds);
  if (way !== 'pages') oneOf(conditions, 'page_id', 'bigint', filter.directoryBusinessPageIds);
  oneOf(conditions, 'rating', 'real', filter.rating);
  oneOf(
    conditions,
    'language',
    'text',
    filter.language?.map((language) => language.toLowerCase()),
  );
  bound(conditions, 'rating', '>=', filter.minRating);
  bound(conditions, 'rating', '<=', filter.maxRating);
  bound(conditions, 'action_date', '>=', asDate(filter.minActionDate));
  // Nothing happens in a thread before it begins: the index by thread helps with both.
  bound(conditions, 'thread_action_date', '>=', asDate(filter.minActionDate));
  bound(conditions, 'action_date', '<=', asDate(filter.maxActionDate));
  bound(conditions, 'thread_action_date', '>=', asDate(filter.minThreadActionDate));
  bound(conditions, 'thread_action_date', '<=', asDate(filter.maxThreadActionDate));
  whether(conditions, 'read', filter.isRead);
  whether(conditions, 'replied', filter.hasReply);
  whether(conditions, 'flagged', filter.flagged);
  // Reviews only: that a photo or a check-in comes without a text says nothing about it.
  if (filter.hasText !== undefined) conditions.add(`type = 'REVIEW' and text is ${filter.hasText ? 'not ' : ''}null`);
  if (sort === 'rating') conditions.add('rating is not null');
  if (filter.query !== undefined) {
    const words = `websearch_to_tsquery('simple', ${conditions.value(filter.query)})`;
    conditions.add(`search @@ words_of($1, month_of(thread_action_date), ${words})`);
  }
  if (filter.labels) {
    const labelled = locationsLabelled(conditions.value(filter.labels), publicLabelsOnly);
    conditions.add(`location_id in (${labelled})`);
  }
  if (way === 'reach') return conditions;
  return withinReach(conditions, reach, { business: 'business_id', location: 'location_id' });
}

const locationsLabelled = (names: string, publicOnly: boolean) => `
  select id from locations where partner_id = $1 and label_ids && array(
    select id from labels where partner_id = $1 ${publicOnly ? 'and not admin_only' : ''}
      and (id::text = any (${names}::text[]) or lower(name) in (select lower(name) from unnest(${names}::text[]) as name)))`;

/** A single value as an equation: only that lets an index that begins with it give the order as well. */
function oneOf(conditions: Conditions, column: string, type: string, values: readonly unknown[] | undefined): void {
  if (!values) return;
  const [only, ...others] = new Set(values);
  if (only !== undefined && others.length === 0) conditions.add(`${column} = ${conditions.value(only)}::${type}`);
  else conditions.add(`${column} = any (${conditions.value(values)}::${type}[])`);
}

function bound(conditions: Conditions, column: string, comparison: '>=' | '<=', value: unknown): void {
  if (value !== undefined) conditions.add(`${column} ${comparison} ${conditions.value(value)}`);
}

function whether(conditions: Conditions, column: string, value: boolean | undefined): void {
  if (value !== undefined) conditions.add(`${column} = ${value}`);
}

const asDate = (moment: number | undefined) => (moment === undefined ? undefined : new Date(moment));
