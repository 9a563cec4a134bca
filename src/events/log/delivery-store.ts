import type { Sql } from '../../database/connection.ts';
import { type Counted, countOf, type Snapshot } from '../../database/counting.ts';
import { db, raw, unprepared } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import { latencyBinCount } from '../delivery/latency-bins.ts';
import { addToStatistics } from '../delivery/settle.ts';
import { type Attempt, detailColumns, summaryColumns } from './attempt.ts';
import { type Delivery, endedStates, openStates, type WebhookStatus } from './delivery.ts';
import {
  type DeliveryRange,
  deliveryState,
  endedDeliveries,
  lastAttempt,
  openDeliveries,
  selectSummary,
  selectWaitsFor,
  stateColumns,
  toAttemptSummary,
  unionOf,
} from './delivery-sources.ts';
import { afterEvent, countEntries, type LogPage, type Order, periodOf } from './log-page.ts';

interface DeliveryFilter extends DeliveryRange {
  states: readonly ((typeof openStates)[number] | (typeof endedStates)[number])[];
  /** Status code of the last attempt. */
  statusCode?: number;
}

const maxListedBytes = 16 * 1024;

export async function listDeliveries(sql: Sql, filter: DeliveryFilter, page: LogPage): Promise<Delivery[]> {
  const { webhookId } = filter;
  const order = page.descending ? 'desc' : 'asc';
  const rows = await db(unprepared(sql))
    .with('page', () =>
      matching(sql, filter, page.offset + page.limit, order)
        .orderBy('eventId', order)
        .offset(page.offset)
        .limit(page.limit),
    )
    .selectFrom('page')
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('events')
        .select([
          'events.type',
          raw<string | null>`case when octet_length(body) <= ${raw.lit(maxListedBytes)} then body end`.as('eventText'),
        ])
        .whereRef('events.id', '=', 'page.eventId')
        .whereRef('events.recordedAt', '=', 'page.recordedAt')
        .as('event'),
    )
    .leftJoinLateral(
      () => lastAttempt(sql, 'page', webhookId).$call(selectSummary).as('last'),
      (join) => join.onTrue(),
    )
    .selectAll('page')
    .select([
      'event.type',
      'event.eventText',
      selectWaitsFor({ webhookId: String(webhookId), orderKey: 'page.order_key', eventId: 'page.event_id' }),
    ])
    .selectAll('last')
    .orderBy('page.eventId', order)
    .execute();
  return rows.map((row) => ({ ...row, webhookId, lastAttempt: toAttemptSummary(row) }));
}

/** The events of the first deliveries of a list, at most `limit`. */
export const firstDeliveries = (sql: Sql, filter: DeliveryFilter, limit: number, order: Order) =>
  db(sql)
    .selectFrom(matching(sql, filter, limit, order).orderBy('eventId', order).limit(limit).as('first'))
    .select(['first.eventId', 'first.recordedAt']);

export function countDeliveries(sql: Sql, partnerId: number, filter: DeliveryFilter): Promise<Counted> {
  // The state and the status code of a delivery change, so only the total can be cached incrementally.
  const { webhookId, states, statusCode, events } = filter;
  const all = { webhookId, events, states: [...openStates, ...endedStates] };
  return countOf(sql, {
    table: 'events',
    key: `deliveries ${JSON.stringify([webhookId, states, statusCode, periodOf(events)])}`,
    partnerId,
    upTo: (limit, since) => snapshot(sql, filter, limit, since),
    total: {
      key: `deliveries ${JSON.stringify([webhookId, periodOf(events)])}`,
      count: () => snapshot(sql, all, null, 0),
    },
  });
}

function snapshot(sql: Sql, filter: DeliveryFilter, limit: number | null, since: number): Promise<Snapshot> {
  const narrowed = { ...filter, events: afterEvent(filter.events, since, false) };
  const deliveries = matching(sql, narrowed, limit);
  return countEntries(sql, limit === null ? deliveries : deliveries.limit(limit));
}

type MatchingDelivery = Omit<Delivery, 'webhookId' | 'type' | 'waitsFor' | 'lastAttempt' | 'eventText'> & {
  orderKey: number | null;
};

/** Open and ended deliveries, at most `limit` of each. */
function matching(sql: Sql, filter: DeliveryFilter, limit: number | null, order: Order = 'desc') {
  const { states } = filter;
  const open = openStates.filter((state) => states.includes(state));
  const ended = endedStates.filter((state) => states.includes(state));
  return unionOf<MatchingDelivery>(sql, [
    ...(open.length > 0 ? [matchingOpen(sql, filter, open, limit, order)] : []),
    ...(ended.length > 0 ? [matchingEnded(sql, filter, ended, limit, order)] : []),
  ]);
}

function matchingOpen(
  sql: Sql,
  { statusCode, ...range }: DeliveryFilter,
  states: readonly (typeof openStates)[number][],
  limit: number | null,
  order: Order,
) {
  let open = db(sql)
    .selectFrom(openDeliveries(sql, range, states, order).as('open'))
    .selectAll();
  if (statusCode !== undefined) {
    open = open.where(lastAttempt(sql, 'open', range.webhookId).select('attempts.statusCode'), '=', statusCode);
  }
  if (limit !== null) open = open.limit(raw.lit(limit));
  return open.orderBy('eventId', order);
}

function matchingEnded(
  sql: Sql,
  { statusCode, ...range }: DeliveryFilter,
  states: readonly (typeof endedStates)[number][],
  limit: number | null,
  order: Order,
) {
  let ended = db(sql)
    .selectFrom(endedDeliveries(sql, range, states, order).as('ended'))
    .select([
      'eventId',
      'recordedAt',
      'attempts',
      raw<number>`0::smallint`.as('tries'),
      raw<Date | null>`null::timestamptz`.as('dueAt'),
      raw<boolean>`false`.as('isRequested'),
      raw<number | null>`null::bigint`.as('replayId'),
      raw<number | null>`null::bigint`.as('orderKey'),
    ]);
  if (statusCode !== undefined) ended = ended.where('statusCode', '=', statusCode);
  if (limit !== null) ended = ended.limit(raw.lit(limit));
  return ended.orderBy('eventId', order);
}

interface DeliveryKey {
  eventId: number;
  webhookId: number;
}

export interface DeliveryDetails {
  delivery: Delivery;
  webhook: WebhookStatus & { pushUrl: string; webhookType: string };
  eventText: string;
  history: readonly Attempt[];
}

const maxHistory = 100;

/** A partner sees deliveries to its own webhooks and to those of its descendants, including deleted webhooks. */
export async function findDelivery(sql: Sql, callerId: number, key: DeliveryKey): Promise<DeliveryDetails | undefined> {
  // In this order: the last attempt is committed with the end of the delivery, so the history of an ended one is complete.
  const row = await findDetails(sql, callerId, key);
  const history = row ? await readHistory(sql, key) : [];
  if (!row || (row.dueAt === null && history.length === 0)) return undefined;
  const { type, recordedAt, eventText } = row;
  const lastAttempt = history.findLast(({ verdict }) => verdict !== 'SUPERSEDED') ?? null;
  const listedText = Buffer.byteLength(eventText) <= maxListedBytes ? { eventText } : {};
  return {
    delivery: { ...key, type, recordedAt, ...deliveryState(row, lastAttempt), ...listedText },
    webhook: row,
    eventText,
    history,
  };
}

const findDetails = (sql: Sql, callerId: number, { eventId, webhookId }: DeliveryKey) =>
  db(sql)
    .selectFrom('webhooks')
    .innerJoin('salesPartners as owner', 'owner.id', 'webhooks.partnerId')
    .innerJoin('webhookHealth as health', 'health.webhookId', 'webhooks.id')
    .innerJoin('events as event', (join) => join.on('event.id', '=', eventId))
    .leftJoin('deliveryQueue as queue', (join) =>
      join.on('queue.eventId', '=', eventId).on('queue.webhookId', '=', webhookId),
    )
    .select(['event.type', 'event.recordedAt', 'event.body as eventText', 'webhooks.type as webhookType'])
    .select(stateColumns)
    .where('webhooks.id', '=', webhookId)
    .where(({ eb, fn, val }) => eb(val(callerId), '=', fn.any('owner.lineage')))
    .executeTakeFirst();

/** Oldest first. */
async function readHistory(sql: Sql, { eventId, webhookId }: DeliveryKey): Promise<Attempt[]> {
  const newestFirst = await db(sql)
    .selectFrom('attempts')
    .select([
      ...summaryColumns,
      ...detailColumns,
      'responseHeaders as headers',
      'responseBody as body',
      'responseTruncated as truncated',
    ])
    .where('eventId', '=', eventId)
    .where('webhookId', '=', webhookId)
    .orderBy('number', 'desc')
    .orderBy('startedAt', 'desc')
    .limit(raw.lit(maxHistory))
    .$narrowType<Pick<Attempt, 'outcome' | 'reason' | 'verdict'>>()
    .execute();
  return newestFirst.reverse();
}

/** Locks the delivery until the transaction ends, if it is in the queue. */
export async function lockQueued(transaction: Transaction, { eventId, webhookId }: DeliveryKey): Promise<void> {
  await db(transaction)
    .selectFrom('deliveryQueue')
    .select('eventId')
    .where('eventId', '=', eventId)
    .where('webhookId', '=', webhookId)
    .forUpdate()
    .execute();
}

/**
 * Makes a waiting delivery due now and moves it to the lane that ignores the breaker. Unless the webhook is paused, a first
 * attempt in order stays in its lane: it is sent as soon as no earlier event can be committed.
 */
export async function makeDue(sql: Sql, { eventId, webhookId }: DeliveryKey): Promise<void> {
  await db(sql)
    .updateTable('deliveryQueue')
    .set(({ ref, case: when, and, lit, exists, not, selectFrom }) => ({
      dueAt: raw<Date>`least(${ref('dueAt')}, now())`,
      lane: when()
        .when(
          and([
            raw<boolean>`${ref('lane')} = ${lit(lanes.ordered)}`,
            not(
              exists(
                selectFrom('webhookHealth')
                  .select('webhookHealth.webhookId')
                  .whereRef('webhookHealth.webhookId', '=', 'deliveryQueue.webhookId')
                  .where('openUntil', '>', raw<Date>`now()`),
              ),
            ),
          ]),
        )
        .then(lanes.ordered)
        .else(lanes.requested)
        .end(),
    }))
    .where('eventId', '=', eventId)
    .where('webhookId', '=', webhookId)
    .execute();
}

/** Puts an ended delivery back into the queue, due now. Attempt numbers continue; the retry schedule restarts. */
export async function requeue(sql: Sql, { eventId, webhookId }: DeliveryKey, attempts: number): Promise<void> {
  await db(sql)
    .insertInto('deliveryQueue')
    .columns(['eventId', 'webhookId', 'recordedAt', 'lane', 'dueAt', 'attempts', 'tries'])
    .expression(({ selectFrom, val, lit }) =>
      selectFrom('events')
        .select([
          'id',
          val(webhookId).as('webhookId'),
          'recordedAt',
          lit(lanes.requested).as('lane'),
          raw<Date>`now()`.as('dueAt'),
          val(attempts).as('attempts'),
          lit(0).as('tries'),
        ])
        .where('id', '=', eventId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Ends a delivery after a failed attempt, like the last attempt of the retry schedule. Returns false if it has ended or
 * has had no attempt since it was queued.
 */
export async function discard(sql: Sql, { eventId, webhookId }: DeliveryKey): Promise<boolean> {
  const discarded = await run(sql, discardStatement, [eventId, webhookId]);
  return discarded.length > 0;
}

const discardStatement = defineStatement<{ number: number }>({
  name: 'discard-delivery',
  text: `
    with ended as (
      delete from delivery_queue where event_id = $1 and webhook_id = $2 and tries > 0 returning attempts
    ), counted as (
      insert into webhook_statistics as known (webhook_id, width_seconds, bucket, delivered, failed, discarded, latency)
      select $2, 60, date_trunc('minute', now()), 0, 0, 1, array_fill(0, array[${latencyBinCount}]) from ended
      ${addToStatistics}
    )
    update attempts set verdict = 'DISCARDED' from ended
    where event_id = $1 and webhook_id = $2 and number = ended.attempts and verdict = 'RETRY'
    returning number
  `,
  columns: { number: 'int2' },
});
