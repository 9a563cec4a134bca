import type { Sql } from '../../database/connection.ts';
import {
  countInbox,
  findWords,
  type InboxEntry,
  type InboxPage,
  type InboxSearch,
  inboxMonths,
  listInbox,
  wordsOf,
} from './inbox-store.ts';

/** How many there are of a search: exactly, or that there are more than so many. */
export interface Found {
  entries: InboxEntry[];
  count: number;
  countIsExact: boolean;
}

/** Few people want to know how many thousands there are, and counting them would take longer than the page itself. */
export const mostCounted = 1000;
/** In a slice with more matches than this, going through the inbox in its order finds a page sooner. */
const mostMatches = 10_000;

/** A page of an inbox; it has one entry more than asked for when another page follows. */
export async function readInbox(sql: Sql, search: InboxSearch, page: InboxPage): Promise<Found> {
  const { query } = search.filter;
  const words = query === undefined ? null : await wordsOf(sql, query);
  const found = words !== null && (await searchInbox(sql, search, words, page));
  return withSeen(found || (await listedInbox(sql, search, page)), page);
}

async function listedInbox(sql: Sql, search: InboxSearch, page: InboxPage): Promise<Found> {
  const [counted, entries] = await Promise.all([
    countInbox(sql, search, mostCounted + 1),
    listInbox(sql, search, page),
  ]);
  return { entries, count: Math.min(counted, mostCounted), countIsExact: counted <= mostCounted };
}

/** What the page and those before it show is there, whatever was counted; the last page shows how many there are. */
function withSeen(found: Found, { offset, limit, after }: InboxPage): Found {
  const { entries, count, countIsExact } = found;
  if (entries.length === 0) return found;
  const seen = offset + Math.min(entries.length, limit - 1);
  const isLast = after === undefined && entries.length < limit;
  return { entries, count: Math.max(count, seen), countIsExact: countIsExact || isLast };
}

/**
 * Looks for words through ever longer slices of time, from the end that the page begins at, until the page is full. What
 * lies behind is not counted.
 */
async function searchInbox(
  sql: Sql,
  search: InboxSearch,
  words: string,
  { offset, limit, after }: InboxPage,
): Promise<Found | undefined> {
  const months = await inboxMonths(sql, search.partnerId);
  const hasExclusions = /(^|\s)-\S/.test(search.filter.query ?? '');
  const wanted = offset + limit;
  const entries: InboxEntry[] = [];
  let count = 0;
  for (const slice of months ? slicesOf(months, search) : []) {
    if (entries.length >= wanted) return { entries: entries.slice(offset, wanted), count, countIsExact: false };
    const sought = { months: slice, words, hasExclusions };
    const rest = { limit: wanted - entries.length, ...(after && { after }) };
    const found = await findWords(sql, search, sought, rest, mostMatches);
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
  const months = Array.from({ length: last - first + 1 }, (_, n) => (order === 'DESC' ? last - n : first + n));
  if (sort !== 'threadActionDate') return [months];
  const slices: number[][] = [];
  for (let begin = 0, length = 1; begin < months.length; begin += length, length *= 2) {
    slices.push(months.slice(begin, begin + length));
  }
  return slices;
}
