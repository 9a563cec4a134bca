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

export interface Found extends Counted {
  entries: InboxEntry[];
}

/** In a slice with more matches than this, going through the inbox in its order finds a page sooner. */
const mostMatches = 10_000;

/** A page of an inbox; it has one entry more than asked for when another page follows. */
export async function readInbox(sql: Sql, search: InboxSearch, page: InboxPage): Promise<Found> {
  const { query } = search.filter;
  const words = query === undefined ? null : await wordsOf(sql, query);
  if (words === null) return listedInbox(sql, search, page);
  const months = await inboxMonths(sql, search.partnerId);
  if (!months) return { entries: [], count: 0, countIsExact: true };
  const hasExclusions = /(^|\s)-\S/.test(query ?? '');
  const everywhere = { months: monthsOf(months, 'ASC'), words, hasExclusions };
  const found = await searchInbox(sql, search, everywhere, slicesOf(months, search), page);
  return found ?? listedInbox(sql, search, page, everywhere);
}

async function listedInbox(sql: Sql, search: InboxSearch, page: InboxPage, sought?: WordSearch): Promise<Found> {
  const entries = await listInbox(sql, search, page);
  return { entries, ...(countOfAll(entries, page) ?? (await countInbox(sql, search, sought))) };
}

/** When the page is the last one, there is nothing to count. */
function countOfAll(entries: readonly InboxEntry[], { offset, limit, after }: InboxPage): Counted | undefined {
  const isLast = after === undefined && entries.length < limit && (entries.length > 0 || offset === 0);
  return isLast ? { count: offset + entries.length, countIsExact: true } : undefined;
}

/** Looks for words through ever longer slices of time, from the end that the page begins at, until the page is full. */
async function searchInbox(
  sql: Sql,
  search: InboxSearch,
  everywhere: WordSearch,
  slices: readonly number[][],
  { offset, limit, after }: InboxPage,
): Promise<Found | undefined> {
  const wanted = offset + limit;
  const entries: InboxEntry[] = [];
  let count = 0;
  for (const months of slices) {
    if (entries.length >= wanted) {
      return { entries: entries.slice(offset, wanted), ...(await countInbox(sql, search, everywhere)) };
    }
    const rest = { limit: wanted - entries.length, ...(after && { after }) };
    const found = await findWords(sql, search, { ...everywhere, months }, rest, mostMatches);
    if (found.counted > mostMatches) return undefined;
    entries.push(...found.entries);
    count += found.counted;
  }
  return { entries: entries.slice(offset, wanted), count, countIsExact: true };
}

/** Months in the order of the inbox, in slices that double; in one slice if the order is not that of the threads. */
export function slicesOf(
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
