import type { Sql } from '../../../database/connection.ts';
import type { Counted } from '../../../database/counting.ts';
import type { Direction } from '../../../http/pagination.ts';
import {
  countInbox,
  findWords,
  type InboxEntry,
  type InboxPage,
  type InboxSearch,
  inboxMonths,
  listInbox,
  type WordSearch,
  wordsOf,
} from './inbox-store.ts';

interface InboxResult extends Counted {
  entries: InboxEntry[];
}

/** Above this number of matches per slice, scanning the inbox in its order is faster. */
const maxMatches = 10_000;

/** Callers pass a limit of one more than the page size to learn whether another page follows. */
export async function readInbox(sql: Sql, search: InboxSearch, page: InboxPage): Promise<InboxResult> {
  const { query } = search.filter;
  const words = query === undefined ? null : await wordsOf(sql, query);
  if (words === null) return scanInbox(sql, search, page);
  const months = await inboxMonths(sql, search.partnerId);
  if (!months) return { entries: [], count: 0, countIsExact: true };
  const hasExclusions = /(^|\s)-\S/.test(query ?? '');
  const allMonths = { months: monthsOf(months, 'ASC'), words, hasExclusions };
  const found = await searchByWords(sql, search, allMonths, monthSlices(months, search), page);
  return found ?? scanInbox(sql, search, page, allMonths);
}

async function scanInbox(
  sql: Sql,
  search: InboxSearch,
  page: InboxPage,
  wordSearch?: WordSearch,
): Promise<InboxResult> {
  const entries = await listInbox(sql, search, page);
  return { entries, ...(countFromLastPage(entries, page) ?? (await countInbox(sql, search, wordSearch))) };
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
  slices: readonly number[][],
  { offset, limit, after }: InboxPage,
): Promise<InboxResult | undefined> {
  const pageEnd = offset + limit;
  const entries: InboxEntry[] = [];
  let count = 0;
  for (const months of slices) {
    if (entries.length >= pageEnd) {
      return { entries: entries.slice(offset, pageEnd), ...(await countInbox(sql, search, allMonths)) };
    }
    const rest = { limit: pageEnd - entries.length, ...(after && { after }) };
    const found = await findWords(sql, search, { ...allMonths, months }, rest, maxMatches);
    if (found.counted > maxMatches) return undefined;
    entries.push(...found.entries);
    count += found.counted;
  }
  return { entries: entries.slice(offset, pageEnd), count, countIsExact: true };
}

/** Months in page order, in slices of doubling length. Other sort orders than the thread's need one slice. */
export function monthSlices(
  { first, last }: { first: number; last: number },
  { sort, order }: Pick<InboxSearch, 'sort' | 'order'>,
): number[][] {
  const months = monthsOf({ first, last }, order);
  if (sort !== 'threadActionDate') return [months];
  const slices: number[][] = [];
  for (let begin = 0, length = 1; begin < months.length; begin += length, length *= 2) {
    slices.push(months.slice(begin, begin + length));
  }
  return slices;
}

const monthsOf = ({ first, last }: { first: number; last: number }, order: Direction) =>
  Array.from({ length: last - first + 1 }, (_, n) => (order === 'DESC' ? last - n : first + n));
