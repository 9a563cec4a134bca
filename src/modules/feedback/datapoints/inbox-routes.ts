import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Counted } from '../../../database/counting.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { managesAccount, reachOf } from '../../../http/access.ts';
import { Id } from '../../../http/ids.ts';
import { countIsExact, directionOf, orderQuery } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import {
  datapointFields,
  datapointResponse,
  datapointStatuses,
  fieldMask,
  MaskedDatapoint,
  readFieldMask,
} from './datapoint.ts';
import { checkFilter, filterQuery, readFilterQuery, withoutEmptyLists } from './datapoint-filter.ts';
import { cursorOf, type InboxEntry, inboxSorts, positionOf, readCursor, withIsoTimes } from './inbox-entry.ts';
import { countInbox, findWords, type InboxPage, type InboxSearch, listInbox, type WordSearch } from './inbox-store.ts';
import { repliesOf } from './reply-store.ts';
import { requireFilter } from './saved-filter-routes.ts';

const maxPageSize = 1000;
const maxUncappedPageSize = 10_000;

const InboxResponse = Type.Object({
  page: Type.Integer(),
  pageSize: Type.Integer(),
  count: Type.Integer({ description: 'Total number of datapoints that match' }),
  countIsExact,
  after: Type.Optional(Type.String({ description: 'Cursor of the next page; absent on the last page' })),
  dataPoints: Type.Array(MaskedDatapoint),
});

export function inboxRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/data-points',
    summary: 'List the datapoints of the inbox, newest threads first',
    needs: 'INBOX_READ',
    query: Type.Object({
      page: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Page number, starting at 0' }),
      max: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 50,
        description: `Page size, at most ${maxPageSize}`,
      }),
      after: Type.Optional(
        Type.String({
          maxLength: 500,
          description: 'Cursor from after of the previous page. Deep pages are as fast as the first',
        }),
      ),
      sort: Type.Enum([...inboxSorts], {
        default: 'threadActionDate',
        description: 'rating excludes datapoints without a rating',
      }),
      order: orderQuery('DESC', 'DESC lists the newest or best first'),
      fieldMask,
      filterId: Type.Optional(
        Type.Integer({ ...Id, description: 'A saved filter. Other parameters override its fields' }),
      ),
      ...filterQuery,
    }),
    response: Type.Object({ inbox: InboxResponse }),
    problems: ['NOT_FOUND'],
    // Versions without the page size cap are limited to what one response can hold.
    pageLimit: ({ grants }) => ({ limit: grants.has('UNCAPPED_DATAPOINTS') ? maxUncappedPageSize : maxPageSize }),
    handler: async (request) => {
      const { caller, query } = request;
      const { page, max, after, sort, order: asked, fieldMask: mask, filterId, ...given } = query;
      const order = directionOf(asked);
      const fields = mask?.length ? readFieldMask(mask, datapointFields) : undefined;
      const saved = filterId === undefined ? {} : (await requireFilter(database.pool, caller, filterId)).filter;
      const filter = { ...withoutEmptyLists(saved), ...readFilterQuery(given) };
      checkFilter(filter);
      const search = {
        partnerId: caller.partnerId,
        reach: reachOf(caller),
        filter,
        publicLabelsOnly: !managesAccount(caller),
        sort,
        order,
      };
      const where =
        after === undefined
          ? { offset: request.listOffset ?? page * max }
          : { offset: 0, after: readCursor(after, sort, order) };
      const { entries: found, ...counted } = await readInbox(database.pool, search, { ...where, limit: max + 1 });
      const entries = found.slice(0, max);
      const last = found.length > max ? entries.at(-1) : undefined;
      const showsReplies = !fields || fields.has('replies') || fields.has('comments');
      const ids = entries.map(({ id }) => id);
      const replies = showsReplies ? await repliesOf(database.pool, ids) : new Map();
      return {
        inbox: {
          page,
          pageSize: max,
          ...counted,
          ...(last && { after: cursorOf(sort, order, positionOf(sort, last)) }),
          dataPoints: entries.map((entry) =>
            datapointResponse(withIsoTimes(entry), replies.get(entry.id) ?? [], fields),
          ),
        },
      };
    },
  });
}

interface InboxResult extends Counted {
  entries: InboxEntry[];
}

const noEntries: InboxResult = { entries: [], count: 0, countIsExact: true };

/** Above this number of matches per slice, scanning the inbox in its order is faster. */
const maxMatches = 10_000;

/** Callers pass a limit of one more than the page size to learn whether another page follows. */
async function readInbox(sql: Sql, search: InboxSearch, page: InboxPage): Promise<InboxResult> {
  const { query, status } = search.filter;
  if (status?.length === 0) return noEntries;
  if (query === undefined) return scanInbox(sql, search, page);
  const allMonths = await monthlyWords(sql, search.partnerId, query);
  if (!allMonths) return scanInbox(sql, search, page);
  const { words } = allMonths;
  if (words.length === 0) return noEntries;
  const found = await searchByWords(sql, search, allMonths, monthSlices(words, search), page);
  return found ?? scanInbox(sql, search, page, allMonths);
}

async function scanInbox(
  sql: Sql,
  search: InboxSearch,
  page: InboxPage,
  wordSearch?: WordSearch,
): Promise<InboxResult> {
  const entries = await listInbox(sql, search, page);
  const lastId = entries[0]?.lastId;
  return { entries, ...(countFromLastPage(entries, page) ?? (await countInbox(sql, search, { wordSearch, lastId }))) };
}

/** The last page gives the count without a query. */
function countFromLastPage(entries: readonly InboxEntry[], { offset, limit, after }: InboxPage): Counted | undefined {
  const isLast = after === undefined && entries.length < limit && (entries.length > 0 || offset === 0);
  return isLast ? { count: offset + entries.length, countIsExact: true } : undefined;
}

/**
 * Searches slices of time of doubling length in page order, until the page is full. Returns undefined if a slice has
 * too many matches.
 */
async function searchByWords(
  sql: Sql,
  search: InboxSearch,
  allMonths: WordSearch,
  slices: readonly string[][],
  { offset, limit, after }: InboxPage,
): Promise<InboxResult | undefined> {
  const pageEnd = offset + limit;
  const entries: InboxEntry[] = [];
  let count = 0;
  for (const words of slices) {
    if (entries.length >= pageEnd) {
      return { entries: entries.slice(offset, pageEnd), ...(await countInbox(sql, search, { wordSearch: allMonths })) };
    }
    const rest = { limit: pageEnd - entries.length, ...(after && { after }) };
    const found = await findWords(sql, search, { ...allMonths, words }, rest, maxMatches);
    if (found.counted > maxMatches) return undefined;
    entries.push(...found.entries);
    count += found.counted;
  }
  return { entries: entries.slice(offset, pageEnd), count, countIsExact: true };
}

/** Months in page order, in slices of doubling length. Other sort orders than the thread's need one slice. */
export function monthSlices<Month>(
  oldestFirst: readonly Month[],
  { sort, order }: Pick<InboxSearch, 'sort' | 'order'>,
): Month[][] {
  const months = order === 'DESC' ? oldestFirst.toReversed() : [...oldestFirst];
  if (sort !== 'threadActionDate') return [months];
  const slices: Month[][] = [];
  for (let begin = 0, length = 1; begin < months.length; begin += length, length *= 2) {
    slices.push(months.slice(begin, begin + length));
  }
  return slices;
}

/**
 * The words that a text must contain, as the index stores them: a tsquery for each month of the inbox, oldest first.
 * Undefined if the query requires no words.
 */
async function monthlyWords(sql: Sql, partnerId: number, query: string): Promise<WordSearch | undefined> {
  const [found] = await run(sql, selectMonthlyWords, [partnerId, query]);
  return found?.words ? { words: found.words, hasExclusions: found.hasExclusions } : undefined;
}

const threadDates = (order: 'asc' | 'desc') =>
  datapointStatuses
    .map(
      (status) => `(select thread_action_date from datapoints where partner_id = $1 and status = '${status}'
                    order by thread_action_date ${order}, id ${order} limit 1)`,
    )
    .join(', ');

const selectMonthlyWords = defineStatement<{ words: string[] | null; hasExclusions: boolean }>({
  name: 'monthly-words',
  text: `with query as materialized (
           select querytree(parsed) as required, strpos(parsed::text, '!') > 0 as has_exclusions
           from websearch_to_tsquery('simple', $2) as parsed
         ),
         ends as (
           select month_of(least(${threadDates('asc')})) as first, month_of(greatest(${threadDates('desc')})) as last
         )
         select case when required not in ('T', '') then array(
           select words_of($1, month, required::tsquery)::text from generate_series(ends.first, ends.last) as month
           order by month
         ) end as words, has_exclusions
         from query, ends`,
  columns: { words: 'text[]', hasExclusions: 'bool' },
});
