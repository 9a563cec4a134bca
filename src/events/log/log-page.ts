import type { Counted } from '../../database/counting.ts';
import { longList } from '../../http/long-list.ts';
import { orderQuery, type PageQuery, pageQuery } from '../../http/pagination.ts';
import { periodQuery } from '../../http/period.ts';

/** `after` is the last event id of the previous page. */
export const logQuery = { ...pageQuery, ...periodQuery, order: orderQuery('DESC', 'DESC: newest first') };

export interface LogPage {
  offset: number;
  limit: number;
  descending: boolean;
}

/** A page of a log, with the event id as cursor. */
export function logPage<Name extends string, Found extends { eventId: number }, T>(
  plural: Name,
  query: PageQuery,
  counted: Counted,
  found: readonly Found[],
  toResponse: (entry: Found) => T,
) {
  return longList(plural, query, counted, found.map(byEvent), ({ entry }) => toResponse(entry as Found));
}

const byEvent = <Found extends { eventId: number }>(entry: Found) => ({ id: entry.eventId, entry });
