import type { Counted } from '../../database/counting.ts';
import { longList } from '../../http/long-list.ts';
import { orderQuery, type PageQuery, pageQuery } from '../../http/pagination.ts';
import { periodQuery } from '../../http/period.ts';

/** `after` is the event id that the page before ended with. */
export const logQuery = { ...pageQuery, ...periodQuery, order: orderQuery('DESC', 'DESC has the newest first') };

export interface LogPage {
  offset: number;
  limit: number;
  descending: boolean;
}

/** A page of a log: entries are told apart by their event. */
export function logPage<Name extends string, Found extends { eventId: number }, T>(
  plural: Name,
  query: PageQuery,
  counted: Counted,
  found: readonly Found[],
  answerOf: (entry: Found) => T,
) {
  return longList(plural, query, counted, found.map(byEvent), ({ entry }) => answerOf(entry as Found));
}

const byEvent = <Found extends { eventId: number }>(entry: Found) => ({ id: entry.eventId, entry });
