import type { Sql } from '../../database/connection.ts';
import type { Counted } from '../../database/counting.ts';
import { longList, orderQuery, type PageQuery, pageQuery } from '../../http/pagination.ts';
import { type Period, periodQuery } from '../../http/period.ts';

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

/**
 * Events of a period as a range of ids, which all indexes of the log use. Ids follow the recording time only roughly, so
 * queries check `from` and `before` too. Empty when `last` is below `first`.
 */
export interface EventRange {
  first: number;
  last: number;
  from: Date;
  before: Date;
}

export async function readEventRange(sql: Sql, { since, until }: Period): Promise<EventRange> {
  const from = since;
  // The parameters have milliseconds, the rows microseconds: include the whole last millisecond.
  const before = new Date(until.getTime() + 1);
  const { rows } = await sql.query<{ first: number | null; last: number | null }>(
    `select (select id from events where recorded_at >= $1 and recorded_at < $2 order by id limit 1) as first,
       (select id from events where recorded_at >= $1 and recorded_at < $2 order by id desc limit 1) as last`,
    [from, before],
  );
  return { first: rows[0]?.first ?? 1, last: rows[0]?.last ?? 0, from, before };
}

/** The part of the range after an event, in list order. */
export function afterEvent(range: EventRange, eventId: number | undefined, descending: boolean): EventRange {
  if (eventId === undefined) return range;
  return descending
    ? { ...range, last: Math.min(range.last, eventId - 1) }
    : { ...range, first: Math.max(range.first, eventId + 1) };
}

export const onlyEvent = (range: EventRange, eventId: number | undefined): EventRange =>
  eventId === undefined
    ? range
    : { ...range, first: Math.max(range.first, eventId), last: Math.min(range.last, eventId) };

/** Parameters of a statement: first and last id, start and end of the period. */
export const rangeValues = ({ first, last, from, before }: EventRange) => [first, last, from, before];

/** Cache key of a range that stays the same while events are added. */
export const periodOf = ({ first, last, from, before }: EventRange) => [from, before, first === last ? first : null];
