import type { Expression } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countOf } from '../../database/counting.ts';
import { anyOf, db, raw, unprepared } from '../../database/query-builder.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import type { Filter } from '../subscriptions/filter.ts';
import { deliveryState, lastAttempt, selectSummary, stateColumns, toAttemptSummary } from './delivery-sources.ts';
import type { EventWebhookMatch, RecordedEvent } from './event.ts';
import {
  afterEvent,
  countEntries,
  type EventRange,
  isInEventRange,
  type LogPage,
  type Order,
  periodOf,
  untilEvent,
} from './log-page.ts';

interface EventFilter {
  callerId: number;
  includeChildren: boolean;
  types: readonly EventTypeName[];
  events: EventRange;
}

// The index starts with partner and type: read the first rows of each pair and merge them.
const matching = (
  sql: Sql,
  { callerId, includeChildren, types, events }: EventFilter,
  limit: number | null,
  order: Order = 'desc',
) =>
  db(sql)
    .selectFrom('salesPartners as partner')
    .crossJoin(raw<{ type: string }>`unnest(${types}::text[])`.as<'wanted'>(raw`wanted (type)`))
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('events')
        .select(['events.id', 'events.recordedAt'])
        .whereRef('events.partnerId', '=', 'partner.id')
        .whereRef('events.type', '=', 'wanted.type')
        .where(({ ref }) => isInEventRange(events, ref('events.id'), ref('events.recordedAt')))
        .orderBy('events.id', order)
        .$if(limit !== null, (first) => first.limit(limit))
        .as('event'),
    )
    .select(['event.id', 'event.recordedAt'])
    .where(({ eb, fn, or, val }) =>
      or([
        eb('partner.id', '=', callerId),
        ...(includeChildren ? [eb(val(callerId), '=', fn.any('partner.lineage'))] : []),
      ]),
    );

const eventColumns = [
  'event.id as eventId',
  'event.partnerId',
  'event.type',
  'event.recordedAt',
  'event.body as text',
] as const;

const isTopmost = (callerId: number, lineage: Expression<number[]>) =>
  raw<boolean>`(${lineage})[1] = ${callerId}`.as('isTopmost');

export function listEvents(
  sql: Sql,
  filter: EventFilter,
  page: LogPage,
): Promise<(RecordedEvent & { isTopmost: boolean })[]> {
  const order = page.descending ? 'desc' : 'asc';
  return db(unprepared(sql))
    .with('page', () =>
      matching(sql, filter, page.offset + page.limit, order)
        .orderBy('event.id', order)
        .offset(page.offset)
        .limit(page.limit),
    )
    .selectFrom('page')
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('events')
        .selectAll('events')
        .whereRef('events.id', '=', 'page.id')
        .whereRef('events.recordedAt', '=', 'page.recordedAt')
        .as('event'),
    )
    .innerJoin('salesPartners as partner', 'partner.id', 'event.partnerId')
    .select(eventColumns)
    .select(({ ref }) => isTopmost(filter.callerId, ref('partner.lineage')))
    .orderBy('event.id', order)
    .execute();
}

export function countEvents(sql: Sql, filter: EventFilter): Promise<Counted> {
  const { callerId, includeChildren, types, events: range } = filter;
  const key = `events ${JSON.stringify([callerId, includeChildren, types, periodOf(range)])}`;
  const upTo = (limit: number | null, since: number) => {
    const events = matching(sql, { ...filter, events: afterEvent(range, since, false) }, limit);
    return countEntries(sql, limit === null ? events : events.limit(limit));
  };
  // Events are immutable, so the count of matching events is also the total.
  return countOf(sql, { table: 'events', key, partnerId: callerId, upTo, total: { key, count: () => upTo(null, 0) } });
}

/** The first events of a list, at most `limit`. */
export async function firstEvents(sql: Sql, filter: EventFilter, limit: number, order: Order = 'desc') {
  const events = await firstPart(sql, filter, limit, order);
  return db(sql)
    .selectFrom(
      matching(sql, { ...filter, events }, limit, order)
        .orderBy('event.id', order)
        .limit(limit)
        .as('first'),
    )
    .select(['first.id as eventId', 'first.recordedAt']);
}

/**
 * The part of a list that has its first `limit` events. All pairs of partner and type share the limit. Pairs that may
 * have more of these events are read again, so that each statement reads about `limit` events.
 */
async function firstPart(sql: Sql, filter: EventFilter, limit: number, order: Order): Promise<EventRange> {
  const descending = order === 'desc';
  let part = filter.events;
  let pairs = await listPairs(sql, filter);
  if (pairs.length === 1) return part;
  let first: number[] = [];
  while (pairs.length > 0) {
    const share = Math.ceil(limit / pairs.length);
    const read = await readFirstIds(sql, pairs, share, order);
    const known = [...first, ...read.flatMap(({ ids }) => ids)];
    first = known.toSorted((a, b) => (descending ? b - a : a - b)).slice(0, limit);
    if (first.length === limit) part = untilEvent(part, first.at(-1) as number, descending);
    pairs = read
      .filter(({ ids }) => ids.length === share)
      .map(({ ids, ...pair }) => ({ ...pair, events: afterEvent(part, ids.at(-1), descending) }))
      .filter(({ events }) => events.first <= events.last);
  }
  return part;
}

interface Pair {
  partnerId: number;
  type: string;
  events: EventRange;
}

async function listPairs(sql: Sql, { callerId, includeChildren, types, events }: EventFilter): Promise<Pair[]> {
  const children = db(sql)
    .selectFrom('salesPartners as partner')
    .select('partner.id')
    .where(({ eb, fn, val }) => eb(val(callerId), '=', fn.any('partner.lineage')));
  const partners = includeChildren ? await children.execute() : [{ id: callerId }];
  return partners.flatMap(({ id: partnerId }) => types.map((type) => ({ partnerId, type, events })));
}

async function readFirstIds(sql: Sql, pairs: readonly Pair[], limit: number, order: Order) {
  const [partnerIds, types] = [pairs.map(({ partnerId }) => partnerId), pairs.map(({ type }) => type)];
  const [firsts, lasts] = [pairs.map(({ events }) => events.first), pairs.map(({ events }) => events.last)];
  const { from, before } = (pairs[0] as Pair).events;
  return db(unprepared(sql))
    .selectFrom(
      raw<Pick<Pair, 'partnerId' | 'type'> & Pick<EventRange, 'first' | 'last'>>`
        unnest(${partnerIds}::bigint[], ${types}::text[], ${firsts}::bigint[], ${lasts}::bigint[])`.as<'pair'>(
        raw`pair (partner_id, type, first, last)`,
      ),
    )
    .select(({ selectFrom }) => [
      'pair.partnerId',
      'pair.type',
      raw<number[]>`array(${selectFrom('events')
        .select('events.id')
        .whereRef('events.partnerId', '=', 'pair.partnerId')
        .whereRef('events.type', '=', 'pair.type')
        .whereRef('events.id', '>=', 'pair.first')
        .whereRef('events.id', '<=', 'pair.last')
        .where('events.recordedAt', '>=', from)
        .where('events.recordedAt', '<', before)
        .orderBy('events.id', order)
        .limit(limit)})`.as('ids'),
    ])
    .execute();
}

/** A partner sees its own events and those of its descendants. `isTopmost`: the caller has no parent partner. */
export function findEvent(
  sql: Sql,
  callerId: number,
  id: number,
): Promise<(RecordedEvent & { isTopmost: boolean }) | undefined> {
  return db(sql)
    .selectFrom('events as event')
    .innerJoin('salesPartners as partner', 'partner.id', 'event.partnerId')
    .select(eventColumns)
    .select(({ ref }) => isTopmost(callerId, ref('partner.lineage')))
    .where('event.id', '=', id)
    .where(({ eb, fn, val }) => eb(val(callerId), '=', fn.any('partner.lineage')))
    .executeTakeFirst();
}

/**
 * For each event, the webhooks visible to the caller that belong to the event's partner or one of its ancestors. By event
 * id.
 */
export async function listWebhookMatches(
  sql: Sql,
  callerId: number,
  events: readonly RecordedEvent[],
): Promise<Map<number, EventWebhookMatch[]>> {
  const known = new Map(events.map((event) => [event.eventId, event]));
  const rows = await readMatches(sql, callerId, [...known.keys()]);
  const matches = rows.map((row) => {
    const event = known.get(row.eventId) as RecordedEvent;
    return { event, ...matchOf(row, event) };
  });
  return Map.groupBy(matches, ({ event }) => event.eventId);
}

type MatchRow = Awaited<ReturnType<typeof readMatches>>[number];

function matchOf(row: MatchRow, { eventId, type, recordedAt }: RecordedEvent): Omit<EventWebhookMatch, 'event'> {
  const lastAttempt = toAttemptSummary(row);
  const delivery = { eventId, webhookId: row.id, type, recordedAt, ...deliveryState(row, lastAttempt) };
  return { webhook: row, past: row.past, delivery: row.dueAt || lastAttempt ? delivery : null };
}

// Deleted webhooks are included only for the event's type.
const readMatches = (sql: Sql, callerId: number, eventIds: readonly number[]) =>
  db(sql)
    .with('recorded', (cte) =>
      cte
        .selectFrom('events')
        .select(['id as eventId', 'recordedAt', 'partnerId', 'type', 'body'])
        .where('id', '=', anyOf(eventIds, 'bigint')),
    )
    .selectFrom('recorded')
    .innerJoin('salesPartners as partner', 'partner.id', 'recorded.partnerId')
    .innerJoin('salesPartners as owner', (join) =>
      join
        .on(({ eb, fn, ref }) => eb(ref('owner.id'), '=', fn.any('partner.lineage')))
        .on(({ eb, fn, val }) => eb(val(callerId), '=', fn.any('owner.lineage'))),
    )
    .innerJoin('webhooks', (join) =>
      join
        .onRef('webhooks.partnerId', '=', 'owner.id')
        .on(({ eb, or, ref }) =>
          or([eb('webhooks.deletedAt', 'is', null), eb('webhooks.type', '=', ref('recorded.type'))]),
        ),
    )
    .innerJoin('webhookHealth as health', 'health.webhookId', 'webhooks.id')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('webhookHistory')
          .select(({ ref }) =>
            jsonBuildObject({
              type: ref('webhookHistory.type'),
              enabled: ref('webhookHistory.enabled'),
              includeChildren: ref('webhookHistory.includeChildren'),
              deleted: ref('webhookHistory.deleted'),
              filter: ref('webhookHistory.filter').$castTo<Filter | null>(),
              matches: raw<boolean>`${ref('webhookHistory.filterPath')} is null
                or filter_matches(${ref('webhookHistory.filterPath')}, ${ref('recorded.body')})`,
            }).as('past'),
          )
          .whereRef('webhookHistory.webhookId', '=', 'webhooks.id')
          .whereRef('webhookHistory.changedAt', '<=', 'recorded.recordedAt')
          .orderBy('webhookHistory.changedAt', 'desc')
          .limit(raw.lit(1))
          .as('history'),
      (join) => join.onTrue(),
    )
    .leftJoin('deliveryQueue as queue', (join) =>
      join.onRef('queue.eventId', '=', 'recorded.eventId').onRef('queue.webhookId', '=', 'webhooks.id'),
    )
    .leftJoinLateral(
      ({ ref }) => lastAttempt(sql, 'recorded', ref('webhooks.id')).$call(selectSummary).as('last'),
      (join) => join.onTrue(),
    )
    .select(['recorded.eventId', 'webhooks.id', 'webhooks.partnerId', 'webhooks.type', 'history.past'])
    .select(stateColumns)
    .selectAll('last')
    .orderBy('recorded.eventId')
    .orderBy('webhooks.id')
    .execute();
