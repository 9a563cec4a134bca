import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countOf, type Snapshot, snapshotOf } from '../../../database/counting.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import type { Direction } from '../../../http/pagination.ts';
import { type Datapoint, type DatapointStatus, datapointStatuses } from './datapoint.ts';
import type { DatapointFilter } from './datapoint-filter.ts';
import { datapointColumns } from './datapoint-store.ts';
import { type InboxSort, type Position, sortColumns } from './inbox-order.ts';

export interface InboxSearch {
  partnerId: number;
  reach: Reach;
  filter: DatapointFilter;
  /** Ignore labels that are visible to administrators only. */
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

export async function listInbox(sql: Sql, search: InboxSearch, page: InboxPage): Promise<InboxEntry[]> {
  const conditions = conditionsOf(search);
  const { order } = search;
  const names = sortColumns[search.sort].map(({ column }) => column);
  if (page.after) conditions.add(afterPosition(search, conditions, page.after));
  const inOrder = `order by ${names.map((name) => `${name} ${order}`).join(', ')}`;
  const found = scanPlans(search, conditions).map(
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

/** `hasExclusions`: the index cannot evaluate excluded words, so each row is filtered again. */
export interface WordSearch {
  months: readonly number[];
  words: string;
  hasExclusions: boolean;
}

/**
 * Collects all matches and sorts them: the planner cannot estimate how rare a word is and would scan the whole inbox.
 * Returns no entries if there are more than `maxMatches`.
 */
export async function findWords(
  sql: Sql,
  search: InboxSearch,
  wordSearch: WordSearch,
  page: { limit: number; after?: Position },
  maxMatches: number,
): Promise<{ counted: number; entries: InboxEntry[] }> {
  const conditions = wordConditions(search, wordSearch);
  const names = sortColumns[search.sort].map(({ column }) => column);
  const inOrder = names.map((name) => `${name} ${search.order}`).join(', ');
  const limit = conditions.value(maxMatches + 1);
  const found = scanPlans(search, conditions).map(
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
         ${page.after ? `and ${afterPosition(search, conditions, page.after)}` : ''}
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

/** The words that a text must contain, or null if the query requires none. */
export async function wordsOf(sql: Sql, query: string): Promise<string | null> {
  const { rows } = await sql.query<{ words: string }>(`select querytree(websearch_to_tsquery('simple', $1)) as words`, [
    query,
  ]);
  const words = rows[0]?.words ?? '';
  return words === 'T' || words === '' ? null : words;
}

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

function afterPosition({ sort, order }: InboxSearch, conditions: Conditions, after: Position): string {
  const columns = sortColumns[sort];
  const bounds = columns.map(({ type }, index) => `${conditions.value(after[index])}::${type}`);
  return `(${columns.map(({ column }) => column).join(', ')}) ${order === 'DESC' ? '<' : '>'} (${bounds.join(', ')})`;
}

export function countInbox(sql: Sql, search: InboxSearch, wordSearch?: WordSearch): Promise<Counted> {
  const { partnerId, filter, sort, order: _, ...who } = search;
  const all: InboxSearch = { ...search, reach: unlimited, filter: { status: [...datapointStatuses] } };
  return countOf(sql, {
    key: `datapoints ${JSON.stringify([partnerId, filter, sort === 'rating', who, wordSearch?.months.length])}`,
    owner: partnerId,
    upTo: (limit, since) => snapshot(sql, search, limit, since, wordSearch),
    total: { key: `datapoints ${partnerId}`, count: () => snapshot(sql, all, null, 0) },
  });
}

const unlimited: Reach = { businessIds: null, locationIds: null };

function snapshot(
  sql: Sql,
  search: InboxSearch,
  limit: number | null,
  since: number,
  wordSearch?: WordSearch,
): Promise<Snapshot> {
  const conditions = wordSearch ? wordConditions(search, wordSearch) : conditionsOf(search);
  if (since > 0) conditions.add(`id > ${since}`);
  const rowLimit = conditions.value(limit);
  const found = scanPlans(search, conditions).map(
    ({ from, where }) => `
      (select from ${from} cross join lateral (
         select from datapoints ${conditions.where} and ${where} limit ${rowLimit}
       ) as found limit ${rowLimit})`,
  );
  const counting = `select count(*) from (select from (${found.join(' union all ')}) as found limit ${rowLimit}) as matching`;
  return snapshotOf(sql, 'datapoints', counting, conditions.values);
}

/**
 * Which index a search scans. Scanning per location, page or business reads rows in page order and merges them; one
 * condition on many ids would read and sort all of their datapoints.
 */
type Scan = 'locations' | 'pages' | 'businesses' | 'reach' | 'inbox';

function scanOf({ filter, reach, sort }: InboxSearch): Scan {
  if (filter.locationIds) return 'locations';
  if (filter.directoryBusinessPageIds) return 'pages';
  // The index by business supports this order only.
  if (sort !== 'threadActionDate') return 'inbox';
  if (filter.businessIds) return 'businesses';
  return isFew(reach.businessIds) && isFew(reach.locationIds) ? 'reach' : 'inbox';
}

/** Above this number a scan of the whole inbox is cheaper. */
const isFew = (ids: readonly number[] | null) => ids !== null && ids.length <= 2000;

function scanPlans(search: InboxSearch, conditions: Conditions): { from: string; where: string }[] {
  const { filter, reach } = search;
  const scanBy = (column: string, ids: readonly number[] = []) => ({
    from: `unnest(${conditions.value([...new Set(ids)])}::bigint[]) as source (id)`,
    where: `${column} = source.id`,
  });
  const plans = {
    locations: () => [scanBy('location_id', filter.locationIds)],
    pages: () => [scanBy('page_id', filter.directoryBusinessPageIds)],
    businesses: () => [scanBy('business_id', filter.businessIds)],
    reach: () => {
      const businessIds = reach.businessIds ?? [];
      const { from, where } = scanBy('location_id', reach.locationIds ?? []);
      const otherBusinesses = `business_id <> all (${conditions.value(businessIds)}::bigint[])`;
      return [scanBy('business_id', businessIds), { from, where: `${where} and ${otherBusinesses}` }];
    },
    inbox: () => [{ from: '(select) as source', where: 'true' }],
  };
  const statuses = new Set(filter.status ?? ['VALID']);
  return plans[scanOf(search)]().flatMap(({ from, where }) =>
    [...statuses].map((status) => ({ from, where: `${where} and status = '${status}'` })),
  );
}

/** All conditions except those of the scan plans. */
function conditionsOf(search: InboxSearch): Conditions {
  const { partnerId, reach, filter, sort, publicLabelsOnly = false } = search;
  const scan = scanOf(search);
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  oneOf(conditions, 'type', 'text', filter.types);
  oneOf(conditions, 'directory_type', 'text', filter.directoryTypes);
  if (scan !== 'locations') oneOf(conditions, 'location_id', 'bigint', filter.locationIds);
  if (scan !== 'businesses') oneOf(conditions, 'business_id', 'bigint', filter.businessIds);
  if (scan !== 'pages') oneOf(conditions, 'page_id', 'bigint', filter.directoryBusinessPageIds);
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
  // Implied by the bound on action_date; lets the index by thread be used.
  bound(conditions, 'thread_action_date', '>=', asDate(filter.minActionDate));
  bound(conditions, 'action_date', '<=', asDate(filter.maxActionDate));
  bound(conditions, 'thread_action_date', '>=', asDate(filter.minThreadActionDate));
  bound(conditions, 'thread_action_date', '<=', asDate(filter.maxThreadActionDate));
  isTrue(conditions, 'read', filter.isRead);
  isTrue(conditions, 'replied', filter.hasReply);
  isTrue(conditions, 'flagged', filter.flagged);
  // Only reviews: photos and check-ins usually have no text.
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
  if (scan === 'reach') return conditions;
  return withinReach(conditions, reach, { business: 'business_id', location: 'location_id' });
}

const locationsLabelled = (names: string, publicOnly: boolean) => `
  select id from locations where partner_id = $1 and label_ids && array(
    select id from labels where partner_id = $1 ${publicOnly ? 'and not admin_only' : ''}
      and (id::text = any (${names}::text[]) or lower(name) in (select lower(name) from unnest(${names}::text[]) as name)))`;

/** Equality for a single value lets an index on this column also provide the order. */
function oneOf(conditions: Conditions, column: string, type: string, values: readonly unknown[] | undefined): void {
  if (!values) return;
  const [only, ...others] = new Set(values);
  if (only !== undefined && others.length === 0) conditions.add(`${column} = ${conditions.value(only)}::${type}`);
  else conditions.add(`${column} = any (${conditions.value(values)}::${type}[])`);
}

function bound(conditions: Conditions, column: string, comparison: '>=' | '<=', value: unknown): void {
  if (value !== undefined) conditions.add(`${column} ${comparison} ${conditions.value(value)}`);
}

function isTrue(conditions: Conditions, column: string, value: boolean | undefined): void {
  if (value !== undefined) conditions.add(`${column} = ${value}`);
}

const asDate = (moment: number | undefined) => (moment === undefined ? undefined : new Date(moment));
