import type { AliasableExpression } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { type Counted, lastIdOf, type Snapshot } from '../../database/counting.ts';
import { db, raw, unprepared } from '../../database/query-builder.ts';
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
  const ids = db(sql)
    .selectFrom('events')
    .select('id')
    .where('recordedAt', '>=', from)
    .where('recordedAt', '<', before)
    .limit(raw.lit(1));
  const { first, last } = await db(sql)
    .selectNoFrom([ids.orderBy('id').as('first'), ids.orderBy('id', 'desc').as('last')])
    .executeTakeFirstOrThrow();
  return { first: first ?? 1, last: last ?? 0, from, before };
}

/** Counts the entries of a log and reads the largest event id in the same snapshot. */
export function countEntries(sql: Sql, entries: AliasableExpression<unknown>): Promise<Snapshot> {
  return db(unprepared(sql))
    .selectFrom(entries.as('entries'))
    .select(({ fn }) => [fn.countAll<number>().as('count'), lastIdOf(sql, 'events')])
    .executeTakeFirstOrThrow();
}

/** The part of the range after an event, in list order. */
export function afterEvent(range: EventRange, eventId: number | undefined, descending: boolean): EventRange {
  if (eventId === undefined) return range;
  return descending
    ? { ...range, last: Math.min(range.last, eventId - 1) }
    : { ...range, first: Math.max(range.first, eventId + 1) };
}

/** The part of the range up to an event, in list order. */
export const untilEvent = (range: EventRange, eventId: number, descending: boolean): EventRange =>
  descending ? { ...range, first: eventId } : { ...range, last: eventId };

export const onlyEvent = (range: EventRange, eventId: number | undefined): EventRange =>
  eventId === undefined
    ? range
    : { ...range, first: Math.max(range.first, eventId), last: Math.min(range.last, eventId) };

/** Cache key of a range that stays the same while events are added. */
export const periodOf = ({ first, last, from, before }: EventRange) => [from, before, first === last ? first : null];
