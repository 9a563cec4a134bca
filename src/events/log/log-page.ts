import type { AliasableExpression, Expression } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { type Counted, lastIdOf, type Snapshot } from '../../database/counting.ts';
import { anyOf, db, raw, unprepared } from '../../database/query-builder.ts';
import { Id } from '../../http/ids.ts';
import {
  type CursorPage,
  cursorPage,
  isDescending,
  orderQuery,
  type PageQuery,
  pageQuery,
} from '../../http/pagination.ts';
import { type Period, periodQuery } from '../../http/period.ts';
import { PartnerSlots } from '../../http/rate-limits.ts';
import { invalidField } from '../../problems.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import { directoryType } from '../catalogue/event-type.ts';
import { type Filter, filterPath, fitFilter } from '../subscriptions/filter.ts';

/** `after` is the last event id of the previous page. */
export const logQuery = { ...pageQuery, ...periodQuery, order: orderQuery('DESC', 'DESC: newest first') };

export type Order = 'asc' | 'desc';

export interface LogPage {
  offset: number;
  limit: number;
  descending: boolean;
}

/**
 * Events of a period as a range of ids, which all indexes of the log use. Ids follow the recording time only roughly, so
 * queries check `from` and `before` too. Empty when `last` is below `first`.
 */
export interface EventRange {
  first: number;
  last: number;
  from: Date;
  before: Date;
  /** Only these events. */
  ids?: readonly number[];
}

/** Whether a row with these columns belongs to an event of the range. */
export const isInEventRange = (range: EventRange, eventId: Expression<number>, recordedAt: Expression<Date>) => {
  const { first, last, from, before, ids } = range;
  const isIncluded = raw<boolean>`(${eventId} between ${first} and ${last}
    and ${recordedAt} >= ${from} and ${recordedAt} < ${before})`;
  return ids ? raw<boolean>`(${isIncluded} and ${eventId} = ${anyOf(ids, 'bigint')})` : isIncluded;
};

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

/** An index of the fields would slow down recording, so the number of searched events is limited. */
export const maxSearched = 20_000;

// Searches use the processor of the database, and connections of the API.
const searchSlots = new PartnerSlots({ perPartner: 2, total: 6, requests: 'searches', retryAfterSeconds: 5 });

const several = { minItems: 1, maxItems: 100 };

export const searchQuery = {
  locationIds: Type.Optional(Type.Array(Id, several)),
  businessIds: Type.Optional(Type.Array(Id, several)),
  directoryTypes: Type.Optional(Type.Array(directoryType, several)),
  filter: Type.Optional(
    Type.String({
      maxLength: 8000,
      description:
        'The filter of a webhook, as JSON. With filter, locationIds, businessIds or directoryTypes, only the first 20,000 events of the period in list order are searched; then countIsExact is false',
    }),
  ),
};

type SearchQuery = Static<Type.TObject<typeof searchQuery>>;

export interface LogSearch {
  /** The types that have the fields of the filter. */
  types: readonly EventTypeName[];
  /** The conditions as jsonpath. */
  path: string;
}

/** Undefined if the query has no condition on the content of events. */
export function readSearch(query: SearchQuery, types: readonly EventTypeName[]): LogSearch | undefined {
  const { locationIds, businessIds, directoryTypes } = query;
  const given = query.filter === undefined ? undefined : fitFilter(parseFilter(query.filter), types);
  const conditions: Filter[] = [
    ...(locationIds ? [{ field: 'location', in: locationIds }] : []),
    ...(businessIds ? [{ field: 'business', in: businessIds }] : []),
    ...(directoryTypes ? [{ field: 'directoryType', in: directoryTypes }] : []),
    ...(given ? [given.filter] : []),
  ];
  if (conditions.length === 0) return undefined;
  return { types: given?.types ?? types, path: filterPath({ all: conditions }) };
}

function parseFilter(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField(
      'filter',
      'json',
      'filter must be JSON, such as {"field": "updateResult", "equals": "FAILURE"}.',
    );
  }
}

type Candidates = AliasableExpression<{ eventId: number; recordedAt: Date }>;

interface LogRequest<Found> {
  sql: Sql;
  callerId: number;
  query: PageQuery & { order: Parameters<typeof isDescending>[0] };
  events: EventRange;
  search: LogSearch | undefined;
  count: () => Promise<Counted>;
  /** The entries of the events in the range. */
  list: (range: EventRange, page: LogPage) => Promise<Found[]>;
  /** At most `maxSearched` events, in list order. */
  candidates: (order: Order) => Candidates | Promise<Candidates>;
}

/** A page of a log, with the event id as cursor; with a search, only entries whose event matches. */
export async function readLog<Found extends { eventId: number }>(
  request: LogRequest<Found>,
): Promise<[Counted, CursorPage<Found>]> {
  const { sql, callerId, query, events, search, count, list, candidates } = request;
  const descending = isDescending(query.order);
  const { after, offset, max } = query;
  if (!search) {
    const page = { offset, limit: max + 1, descending };
    const [counted, found] = await Promise.all([count(), list(afterEvent(events, after, descending), page)]);
    return [counted, cursorPage(found, max, ({ eventId }) => eventId)];
  }
  return searchSlots.run(callerId, async () => {
    const { checked, ids } = await matchingEvents(sql, await candidates(descending ? 'desc' : 'asc'), search.path);
    const isLater = (id: number) => after === undefined || (descending ? id < after : id > after);
    const rest = ids.toSorted((a, b) => (descending ? b - a : a - b)).filter(isLater);
    const page = cursorPage(rest.slice(offset), max, (id) => id);
    const range = { ...events, ids: page.entries };
    // A delivery whose state has changed since the search is missing. The cursor comes from the search.
    const found = page.entries.length > 0 ? await list(range, { offset: 0, limit: max, descending }) : [];
    const counted = { count: ids.length, countIsExact: checked < maxSearched };
    return [counted, { entries: found, after: page.after }];
  });
}

/** The ids of the candidates that match a filter, and the number of candidates. */
export const matchingEvents = (
  sql: Sql,
  candidates: Candidates,
  path: string,
): Promise<{ checked: number; ids: number[] }> =>
  db(unprepared(sql))
    .selectFrom(candidates.as('candidate'))
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('events')
        .select(['events.id', 'events.body'])
        .whereRef('events.id', '=', 'candidate.eventId')
        .whereRef('events.recordedAt', '=', 'candidate.recordedAt')
        // Keeps the plan from reading other events.
        .limit(raw.lit(1))
        .as('event'),
    )
    .select(({ fn, ref }) => [
      fn.countAll<number>().as('checked'),
      raw<number[]>`coalesce(
        array_agg(${ref('event.id')}) filter (where filter_matches(${path}::jsonpath, ${ref('event.body')})), '{}'
      )`.as('ids'),
    ])
    .executeTakeFirstOrThrow();
