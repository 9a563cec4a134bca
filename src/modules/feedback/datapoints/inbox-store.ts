import type { RawBuilder, Selectable } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countOf, lastIdOf, type Snapshot } from '../../../database/counting.ts';
import { anyOf, compileOnce, db, type Placeholders, raw, unprepared } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { fullReach, inReach, type Reach } from '../../../http/access.ts';
import type { Direction } from '../../../http/pagination.ts';
import { normalizeText } from '../../../text.ts';
import { datapointStatuses } from './datapoint.ts';
import type { DatapointFilter } from './datapoint-filter.ts';
import { entryColumns, type InboxEntry, type InboxSort, type Position, sortColumns } from './inbox-entry.ts';

export interface InboxSearch {
  partnerId: number;
  reach: Reach;
  filter: DatapointFilter;
  /** Ignore labels that are visible to administrators only. */
  publicLabelsOnly?: boolean;
  sort: InboxSort;
  order: Direction;
}

export interface InboxPage {
  offset: number;
  limit: number;
  after?: Position;
}

type Column = keyof DB['datapoints'];
type SortColumn = (typeof sortColumns)[InboxSort][number]['column'];
type Condition = RawBuilder<boolean>;

const columnRef = (column: Column) => raw.ref(column);

/** An entry with the last id of all datapoints at the time of the page. */
type ListedEntry = InboxEntry & { lastId: number };

export function listInbox(sql: Sql, search: InboxSearch, { offset, limit, after }: InboxPage): Promise<ListedEntry[]> {
  const firstRows = offset === 0 && isUnfiltered(search) ? limit : undefined;
  const input = { search, isContinued: after !== undefined, firstRows };
  return selectPage(sql, input, { offset, limit, end: offset + limit, ...boundsOf(after) });
}

const isUnfiltered = ({ filter, reach }: InboxSearch) =>
  reach.businessIds === null && reach.locationIds === null && Object.keys(filter).length === 0;

interface PageInput {
  search: InboxSearch;
  /** Whether the page starts after a position. */
  isContinued: boolean;
}

/** The values of a position, by the index of their sort column. */
type Bounds = Record<'bound0' | 'bound1' | 'bound2', string | undefined>;

const boundsOf = ([bound0, bound1, bound2]: Position = []): Bounds => ({ bound0, bound1, bound2 });

/**
 * `firstRows`: the limit as a literal. With a parameter, the planner expects a tenth of the inbox and plans the statement
 * on every execution, which takes as long as to read the page. With filters, the plan depends on their values.
 */
const selectPage = compileOnce(
  (
    sql,
    { search, isContinued, firstRows }: PageInput & { firstRows: number | undefined },
    values: Placeholders<{ offset: number; limit: number; end: number } & Bounds>,
  ) => {
    const literal = firstRows === undefined ? undefined : raw.lit(firstRows);
    const { offset, limit, end } = literal ? { offset: raw.lit(0), limit: literal, end: literal } : values;
    const rows = rowsOf(sql, search).where((eb) => eb.and(isContinued ? [afterPosition(search, values)] : []));
    const found = scanned(search, rows, ({ from, matching }) => {
      const first = matching.select(sortNames(search)).orderBy(inOrder(search)).limit(end);
      return raw`(select found.* from ${from} cross join lateral ${first} as found)`;
    });
    return db(sql)
      .with('page', (query) =>
        query.selectFrom(found.as('found')).selectAll().orderBy(inOrder(search)).offset(offset).limit(limit),
      )
      .selectFrom('page')
      .innerJoin('datapoints', 'datapoints.id', 'page.id')
      .select([...entryColumns, lastIdOf(sql, 'datapoints')])
      .orderBy(inOrder(search, 'page'))
      .$narrowType<Pick<InboxEntry, 'type' | 'status'>>();
  },
);

export interface WordSearch {
  /** A tsquery for each month. */
  words: readonly string[];
  /** The index cannot evaluate excluded words, so each row is filtered again. */
  hasExclusions: boolean;
}

/** Returns no entries if there are more than `maxMatches`. */
export async function findWords(
  sql: Sql,
  search: InboxSearch,
  wordSearch: WordSearch,
  { limit, after }: { limit: number; after?: Position },
  maxMatches: number,
): Promise<{ counted: number; entries: InboxEntry[] }> {
  const input = { search: besideIndex(search, wordSearch), isContinued: after !== undefined };
  const values = { words: inAnyMonth(wordSearch), limit, tooMany: maxMatches + 1, ...boundsOf(after) };
  const rows = await selectMatches(sql, input, values);
  return { counted: rows[0]?.counted ?? 0, entries: rows.filter((row) => row.id !== null) };
}

/** Collects all matches and sorts them: the planner cannot estimate how rare a word is and would scan the whole inbox. */
const selectMatches = compileOnce(
  (
    sql,
    { search, isContinued }: PageInput,
    values: Placeholders<{ words: string; limit: number; tooMany: number } & Bounds>,
  ) => {
    const { words, limit, tooMany } = values;
    const found = scanned(search, withWords(rowsOf(sql, search), words), ({ from, matching }) => {
      const all = matching.select(sortNames(search)).offset(raw.lit(0));
      return raw`(select found.* from ${from} cross join lateral ${all} as found limit ${tooMany})`;
    });
    const counted = raw<number>`(select count(*) from matching)`;
    return db(sql)
      .with(
        (cte) => cte('matching').materialized(),
        (query) => query.selectFrom(found.as('found')).selectAll().limit(tooMany),
      )
      .with('page', (query) =>
        query
          .selectFrom('matching')
          .selectAll()
          .where(counted, '<', tooMany)
          .where((eb) => eb.and(isContinued ? [afterPosition(search, values)] : []))
          .orderBy(inOrder(search))
          .limit(limit),
      )
      .selectFrom(raw`(select)`.as('always'))
      .leftJoin('page', (join) => join.onTrue())
      .leftJoin('datapoints', 'datapoints.id', 'page.id')
      .select([counted.as('counted'), ...entryColumns])
      .orderBy(inOrder(search, 'page'))
      .$narrowType<InboxEntry | { id: null }>();
  },
);

/** The search without the words, which the index finds. */
function besideIndex(search: InboxSearch, { hasExclusions }: WordSearch): InboxSearch {
  const { query: _, ...filter } = search.filter;
  return hasExclusions ? search : { ...search, filter };
}

const inAnyMonth = ({ words }: WordSearch): string => words.map((month) => `(${month})`).join(' | ');

const withWords = (rows: Rows, words: RawBuilder<string | null>): Rows =>
  rows.where(({ ref }) => raw<boolean>`${ref('search')} @@ ${words}::tsquery`);

const sortNames = ({ sort }: InboxSearch): SortColumn[] => sortColumns[sort].map(({ column }) => column);

const inOrder = (search: InboxSearch, table?: 'page') =>
  raw.join(
    sortNames(search).map((name) => raw`${raw.ref(table ? `${table}.${name}` : name)} ${raw.raw(search.order)}`),
  );

function afterPosition({ sort, order }: InboxSearch, { bound0, bound1, bound2 }: Placeholders<Bounds>): Condition {
  const columns = sortColumns[sort];
  const values = [bound0, bound1, bound2];
  const bounds = columns.map(({ type }, index) => raw`${values[index]}::${raw.raw(type)}`);
  const names = columns.map(({ column }) => columnRef(column));
  return raw`(${raw.join(names)}) ${raw.raw(order === 'DESC' ? '<' : '>')} (${raw.join(bounds)})`;
}

/** `lastId`: the last id of all datapoints, if an earlier statement of the request has read it. */
export function countInbox(
  sql: Sql,
  search: InboxSearch,
  { wordSearch, lastId }: { wordSearch?: WordSearch | undefined; lastId?: number | undefined },
): Promise<Counted> {
  const { partnerId, filter, sort, order: _, ...who } = search;
  const all: InboxSearch = { ...search, reach: fullReach, filter: { status: [...datapointStatuses] } };
  return countOf(sql, {
    table: 'datapoints',
    key: `datapoints ${JSON.stringify([partnerId, filter, sort === 'rating', who, wordSearch?.words.length])}`,
    partnerId,
    lastId,
    upTo: (limit, since) => snapshot(sql, search, limit, since, wordSearch),
    total: { key: `datapoints ${partnerId}`, count: () => snapshot(sql, all, null, 0) },
  });
}

async function snapshot(
  sql: Sql,
  search: InboxSearch,
  limit: number | null,
  since: number,
  wordSearch?: WordSearch,
): Promise<Snapshot> {
  const input = {
    search: wordSearch ? besideIndex(search, wordSearch) : search,
    hasWords: wordSearch !== undefined,
    countsAdded: since > 0,
  };
  const words = wordSearch ? inAnyMonth(wordSearch) : null;
  const [found] = await selectSnapshot(since > 0 ? unprepared(sql) : sql, input, { limit, since, words });
  return found ?? { count: 0, lastId: 0 };
}

const selectSnapshot = compileOnce(
  (
    sql,
    { search, hasWords, countsAdded }: { search: InboxSearch; hasWords: boolean; countsAdded: boolean },
    { limit, since, words }: Placeholders<{ limit: number | null; since: number; words: string | null }>,
  ) => {
    const all = hasWords ? withWords(rowsOf(sql, search), words) : rowsOf(sql, search);
    const rows = countsAdded ? all.where('id', '>', since) : all;
    const found = scanned(
      search,
      rows,
      ({ from, matching }) =>
        raw`(select from ${from} cross join lateral ${matching.limit(limit)} as found limit ${limit})`,
    );
    return db(sql)
      .selectFrom(db(sql).selectFrom(found.as('found')).limit(limit).as('matching'))
      .select([raw<number>`count(*)`.as('count'), lastIdOf(sql, 'datapoints')]);
  },
);

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

interface ScanPlan {
  from: RawBuilder<unknown>;
  where: Condition[];
}

function scanPlans(search: InboxSearch): ScanPlan[] {
  const { filter, reach } = search;
  const scanBy = (column: Column, ids: readonly number[] = []): ScanPlan => ({
    from: raw`unnest(${[...new Set(ids)]}::bigint[]) as source (id)`,
    where: [raw`${columnRef(column)} = source.id`],
  });
  const plans: Record<Scan, () => ScanPlan[]> = {
    locations: () => [scanBy('locationId', filter.locationIds)],
    pages: () => [scanBy('pageId', filter.directoryBusinessPageIds)],
    businesses: () => [scanBy('businessId', filter.businessIds)],
    reach: () => {
      const businessIds = reach.businessIds ?? [];
      const { from, where } = scanBy('locationId', reach.locationIds ?? []);
      const isOtherBusiness: Condition = raw`${columnRef('businessId')} <> all (${businessIds}::bigint[])`;
      return [scanBy('businessId', businessIds), { from, where: [...where, isOtherBusiness] }];
    },
    inbox: () => [{ from: raw`(select) as source`, where: [] }],
  };
  return plans[scanOf(search)]();
}

/** The union of the scans, one per status: a literal status lets prepared statements use the partial indexes. */
function scanned(
  search: InboxSearch,
  rows: Rows,
  scan: (plan: { from: RawBuilder<unknown>; matching: Rows }) => RawBuilder<unknown>,
): RawBuilder<Pick<Selectable<DB['datapoints']>, SortColumn>> {
  const statuses = [...new Set(search.filter.status ?? ['VALID'])];
  const scans = scanPlans(search).flatMap(({ from, where }) =>
    statuses.map((status) => {
      const matching = rows.where((eb) => eb.and([...where, eb('status', '=', raw.lit(status))]));
      return scan({ from, matching });
    }),
  );
  return raw`(${raw.join(scans, raw` union all `)})`;
}

type Rows = ReturnType<typeof rowsOf>;

/** The rows that match all conditions except those of the scan plans. */
function rowsOf(sql: Sql, search: InboxSearch) {
  const { partnerId, reach, filter, sort, publicLabelsOnly = false } = search;
  const scan = scanOf(search);
  const conditions = [
    ...oneOf('type', 'text', filter.types),
    ...oneOf('directoryType', 'text', filter.directoryTypes),
    ...oneOf('locationId', 'bigint', scan === 'locations' ? undefined : filter.locationIds),
    ...oneOf('businessId', 'bigint', scan === 'businesses' ? undefined : filter.businessIds),
    ...oneOf('pageId', 'bigint', scan === 'pages' ? undefined : filter.directoryBusinessPageIds),
    ...oneOf('rating', 'real', filter.rating),
    ...oneOf(
      'language',
      'text',
      filter.language?.map((language) => language.toLowerCase()),
    ),
    ...bound('rating', '>=', filter.minRating),
    ...bound('rating', '<=', filter.maxRating),
    ...bound('actionDate', '>=', asDate(filter.minActionDate)),
    // Implied by the bound on actionDate; lets the index by thread be used.
    ...bound('threadActionDate', '>=', asDate(filter.minActionDate)),
    ...bound('actionDate', '<=', asDate(filter.maxActionDate)),
    ...bound('threadActionDate', '>=', asDate(filter.minThreadActionDate)),
    ...bound('threadActionDate', '<=', asDate(filter.maxThreadActionDate)),
    ...isTrue('read', filter.isRead),
    ...isTrue('replied', filter.hasReply),
    ...isTrue('flagged', filter.flagged),
  ];
  let rows = db(sql)
    .selectFrom('datapoints')
    .where('partnerId', '=', partnerId)
    .where((eb) => eb.and(conditions));
  // Only reviews: photos and check-ins usually have no text.
  if (filter.hasText !== undefined)
    rows = rows.where('type', '=', raw.lit('REVIEW')).where('text', filter.hasText ? 'is not' : 'is', null);
  if (sort === 'rating') rows = rows.where('rating', 'is not', null);
  if (filter.query !== undefined) {
    const words = raw`websearch_to_tsquery('simple', ${filter.query})`;
    rows = rows.where(
      ({ ref }) =>
        raw<boolean>`${ref('search')} @@ words_of(${partnerId}, month_of(${ref('threadActionDate')}), ${words})`,
    );
  }
  if (filter.labels) {
    rows = rows.where('locationId', 'in', locationsLabelled(sql, partnerId, filter.labels, publicLabelsOnly));
  }
  return scan === 'reach' ? rows : inReach(rows, reach, { business: 'businessId', location: 'locationId' });
}

function locationsLabelled(sql: Sql, partnerId: number, names: readonly string[], publicOnly: boolean) {
  const labels = db(sql)
    .selectFrom('labels')
    .select('id')
    .where('partnerId', '=', partnerId)
    .$if(publicOnly, (query) => query.where('adminOnly', '=', raw.lit(false)))
    .where(({ or, ref }) =>
      or([
        raw<boolean>`${ref('id')}::text = ${anyOf(names, 'text')}`,
        raw<boolean>`lower(${ref('name')}) in (select lower(name) from unnest(${names.map(normalizeText)}::text[]) as name)`,
      ]),
    );
  return db(sql)
    .selectFrom('locations')
    .select('id')
    .where('partnerId', '=', partnerId)
    .where('labelIds', '&&', raw<number[]>`array${labels}`);
}

/** Equality for a single value lets an index on this column also provide the order. */
function oneOf(
  column: Column,
  type: 'text' | 'bigint' | 'real',
  values: readonly (string | number)[] | undefined,
): Condition[] {
  if (!values) return [];
  const [only, ...others] = new Set(values);
  const isSingle = only !== undefined && others.length === 0;
  const value = isSingle ? raw`${only}::${raw.raw(type)}` : raw`any (${values}::${raw.raw(type)}[])`;
  return [raw`${columnRef(column)} = ${value}`];
}

const bound = (column: Column, comparison: '>=' | '<=', value: number | Date | undefined): Condition[] =>
  value === undefined ? [] : [raw`${columnRef(column)} ${raw.raw(comparison)} ${value}`];

const isTrue = (column: Column, value: boolean | undefined): Condition[] =>
  value === undefined ? [] : [raw`${columnRef(column)} = ${raw.lit(value)}`];

const asDate = (moment: number | undefined) => (moment === undefined ? undefined : new Date(moment));
