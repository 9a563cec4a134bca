import type { AliasableExpression, Expression, SelectQueryBuilder } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import type { DB } from '../../database/schema.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import { awaitedEvent } from '../delivery/ordered-queue.ts';
import { type AttemptSummary, summaryColumns } from './attempt.ts';
import { type Delivery, type endedStates, openStates } from './delivery.ts';
import { type EventRange, isInEventRange, type Order } from './log-page.ts';

/**
 * Queries for the deliveries of a webhook. Queue and attempts are looked up per delivery in index order, so the cost of a
 * page does not depend on the size of the log.
 */

export interface DeliveryRange {
  webhookId: number;
  events: EventRange;
}

type EndedState = (typeof endedStates)[number];

// Attempts start after their event was recorded, give or take clock skew: limits the look-up to the right partitions.
const earliestAttempt = (recordedAt: Expression<Date>) => raw<Date>`${recordedAt} - interval '1 hour'`;
const latestAttempt = raw<Date>`now() + interval '1 hour'`;

// A scalar subquery is never planned as a join.
const isNotQueued = (sql: Sql, webhookId: number, eventId: Expression<number>) => {
  const queued = db(sql)
    .selectFrom('deliveryQueue as queue')
    .select(raw<boolean>`true`.as('isQueued'))
    .where('queue.eventId', '=', eventId)
    .where('queue.webhookId', '=', webhookId);
  return raw<boolean>`(${queued}) is null`;
};

/** Deliveries in the queue. */
export const openDeliveries = (
  sql: Sql,
  { webhookId, events }: DeliveryRange,
  states: readonly (typeof openStates)[number][],
  order: Order,
) =>
  db(sql)
    .selectFrom('deliveryQueue as queue')
    .select(({ eb, lit }) => [
      'queue.eventId',
      'queue.recordedAt',
      'queue.attempts',
      'queue.tries',
      'queue.dueAt',
      eb('queue.lane', '=', lit(lanes.requested)).as('isRequested'),
      'queue.replayId',
      'queue.orderKey',
    ])
    .where('queue.webhookId', '=', webhookId)
    .where(({ ref }) => isInEventRange(events, ref('queue.eventId'), ref('queue.recordedAt')))
    .$if(states.length < openStates.length, (queue) =>
      queue.where('queue.tries', states[0] === 'WAITING' ? '=' : '>', 0),
    )
    .orderBy('queue.eventId', order)
    .$narrowType<{ isRequested: boolean }>();

/** The event that a queued delivery waits for, from the names of its columns. */
export const selectWaitsFor = (queue: Parameters<typeof awaitedEvent>[0]) =>
  raw.raw<number | null>(awaitedEvent(queue)).as('waitsFor');

interface EndedDelivery {
  eventId: number;
  recordedAt: Date;
  attempts: number;
  statusCode: number | null;
}

/** Deliveries that are no longer in the queue. */
export const endedDeliveries = (
  sql: Sql,
  range: DeliveryRange,
  states: readonly EndedState[],
  order: Order,
): AliasableExpression<EndedDelivery> =>
  states.includes('DELIVERED') ? anyEnded(sql, range, states, order) : discarded(sql, range, order);

const finalVerdicts = raw<string>`('DELIVERED', 'DISCARDED')`;

function anyEnded(sql: Sql, { webhookId, events }: DeliveryRange, states: readonly EndedState[], order: Order) {
  const ended = db(sql)
    .selectFrom('attempts')
    .distinctOn('eventId')
    .select(['eventId', 'recordedAt', 'number as attempts', 'statusCode', 'verdict'])
    .where('webhookId', '=', webhookId)
    .where(({ ref }) => isInEventRange(events, ref('eventId'), ref('recordedAt')))
    .where('verdict', 'in', finalVerdicts)
    .orderBy('eventId', order)
    .orderBy('number', 'desc');
  return db(sql)
    .selectFrom(ended.as('ended'))
    .select(['ended.eventId', 'ended.recordedAt', 'ended.attempts', 'ended.statusCode'])
    .where('ended.verdict', '=', anyOf(states, 'text'))
    .where(({ ref }) => isNotQueued(sql, webhookId, ref('ended.eventId')))
    .orderBy('ended.eventId', order);
}

// Discarded deliveries are rare: read by their own index, then checked for a later attempt or retry.
const discarded = (sql: Sql, { webhookId, events }: DeliveryRange, order: Order) =>
  db(sql)
    .selectFrom('attempts as ended')
    .crossJoinLateral(({ ref, selectFrom }) =>
      selectFrom('attempts')
        .select('attempts.number')
        .whereRef('attempts.eventId', '=', 'ended.eventId')
        .where('attempts.webhookId', '=', webhookId)
        .where('attempts.verdict', 'in', finalVerdicts)
        .where((eb) => eb.between('attempts.startedAt', earliestAttempt(ref('ended.recordedAt')), latestAttempt))
        .orderBy('attempts.number', 'desc')
        .limit(raw.lit(1))
        .as('last'),
    )
    .select(['ended.eventId', 'ended.recordedAt', 'ended.number as attempts', 'ended.statusCode'])
    .where('ended.webhookId', '=', webhookId)
    .where(({ ref }) => isInEventRange(events, ref('ended.eventId'), ref('ended.recordedAt')))
    // A literal, so that the partial index is used.
    .where('ended.verdict', '=', raw.lit('DISCARDED'))
    .whereRef('ended.number', '=', 'last.number')
    .where(({ ref }) => isNotQueued(sql, webhookId, ref('ended.eventId')))
    .orderBy('ended.eventId', order);

/** The rows of all sources; at least one is required. */
export function unionOf<Row>(sql: Sql, sources: readonly AliasableExpression<Row>[]) {
  const [first, ...others] = sources.map((source) => db(sql).selectFrom(source.as('source')).selectAll());
  if (!first) throw new Error('No state of deliveries is selected.');
  return db(sql)
    .selectFrom(others.reduce((all, other) => all.unionAll(other), first).as('all'))
    .selectAll();
}

/** The last attempt of a delivery that was not superseded. `event`: the table that has its event. */
export const lastAttempt = (sql: Sql, event: 'open' | 'page' | 'recorded', webhookId: number | Expression<number>) =>
  db(sql)
    .selectFrom('attempts')
    .where('attempts.eventId', '=', raw.ref<number>(`${event}.eventId`))
    .where('attempts.webhookId', '=', webhookId)
    .where('attempts.verdict', '<>', 'SUPERSEDED')
    .where((eb) =>
      eb.between('attempts.startedAt', earliestAttempt(raw.ref<Date>(`${event}.recordedAt`)), latestAttempt),
    )
    .orderBy('attempts.number', 'desc')
    .limit(raw.lit(1));

/** Selects the columns of an attempt summary. Only the explanation of a redirect needs the headers. */
export const selectSummary = <O>(attempts: SelectQueryBuilder<DB, 'attempts', O>) =>
  attempts
    .select(summaryColumns)
    .select((eb) =>
      eb
        .case()
        .when(eb.between('attempts.statusCode', eb.lit(300), eb.lit(399)))
        .then(eb.ref('attempts.responseHeaders'))
        .end()
        .as('headers'),
    )
    .$narrowType<Pick<AttemptSummary, 'outcome' | 'reason' | 'verdict'>>();

/** The attempt of a left join. */
export const toAttemptSummary = (row: { [Column in keyof AttemptSummary]: AttemptSummary[Column] | null }) =>
  row.number === null ? null : (row as AttemptSummary);

/** The state of a delivery in a statement with the tables webhooks, health and, in a left join, queue. */
export const stateColumns = [
  'webhooks.pushUrl',
  'webhooks.enabled',
  'webhooks.disabledReason',
  'health.openUntil as pausedUntil',
  raw<boolean>`webhooks.deleted_at is not null`.as('deleted'),
  'queue.dueAt',
  raw<boolean | null>`queue.lane = ${raw.lit(lanes.requested)}`.as('isRequested'),
  'queue.attempts as queuedAttempts',
  'queue.tries',
  selectWaitsFor({ webhookId: 'queue.webhook_id', orderKey: 'queue.order_key', eventId: 'queue.event_id' }),
  'queue.replayId',
] as const;

type QueueState = Pick<Delivery, 'dueAt' | 'waitsFor' | 'replayId'> & {
  queuedAttempts: number | null;
  tries: number | null;
  isRequested: boolean | null;
};

/** From the columns of the queue, which are null after the delivery has ended. */
export const deliveryState = (
  { queuedAttempts, tries, isRequested, dueAt, waitsFor, replayId }: QueueState,
  lastAttempt: AttemptSummary | null,
) => ({
  attempts: queuedAttempts ?? lastAttempt?.number ?? 0,
  tries: tries ?? 0,
  dueAt,
  isRequested: isRequested ?? false,
  waitsFor,
  replayId,
  lastAttempt,
});
