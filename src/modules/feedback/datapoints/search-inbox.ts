import type { Sql } from '../../../database/connection.ts';
import type { Counted } from '../../../database/counting.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { datapointStatuses } from './datapoint.ts';
import type { InboxEntry } from './inbox-entry.ts';
import { countInbox, findWords, type InboxPage, type InboxSearch, listInbox, type WordSearch } from './inbox-store.ts';

interface InboxResult extends Counted {
  entries: InboxEntry[];
}

/** Above this number of matches per slice, scanning the inbox in its order is faster. */
const maxMatches = 10_000;

/** Callers pass a limit of one more than the page size to learn whether another page follows. */
export async function readInbox(sql: Sql, search: InboxSearch, page: InboxPage): Promise<InboxResult> {
  const { query } = search.filter;
  if (query === undefined) return scanInbox(sql, search, page);
  const allMonths = await monthlyWords(sql, search.partnerId, query);
  if (!allMonths) return scanInbox(sql, search, page);
  const { words } = allMonths;
  if (words.length === 0) return { entries: [], count: 0, countIsExact: true };
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
