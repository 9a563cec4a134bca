import type { AliasableExpression } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { countAll } from '../../database/counting.ts';
import { db, raw } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import { isRecordingLock } from '../delivery/ordered-queue.ts';
import { endedStates } from './delivery.ts';
import { type DeliveryRange, endedDeliveries, unionOf } from './delivery-sources.ts';
import { type EventRange, isInEventRange } from './log-page.ts';
import type { ReplayableState } from './replay.ts';
import type { RunningReplay } from './replay-store.ts';

interface ReplaySelection extends DeliveryRange {
  states: readonly ReplayableState[];
}

export const countCandidates = (sql: Sql, selection: ReplaySelection): Promise<number> =>
  countAll(db(sql).selectFrom(candidates(sql, selection).as('counted')));

/**
 * Queues the next candidates with due times at the replay's rate. `cursor` is the last event that was checked. Deliveries
 * that are already in the queue are not changed.
 */
export async function queueCandidates(
  sql: Sql,
  { id: replayId, webhookId, states, ratePerSecond, nextDueAt }: RunningReplay,
  events: EventRange,
  limit: number,
): Promise<{ found: number; queued: number; cursor: number }> {
  const selection = { webhookId, states, events };
  const window = await nextWindow(sql, selection);
  const next = candidates(sql, { ...selection, events: window })
    .orderBy('eventId')
    .limit(limit);
  const { found, queued, last } = await db(sql)
    .with('candidates', (cte) =>
      cte
        .selectFrom(next.as('next'))
        .selectAll('next')
        .select(({ ref }) => raw<number>`row_number() over (order by ${ref('next.eventId')}) - 1`.as('position')),
    )
    .with('queued', (cte) =>
      cte
        .insertInto('deliveryQueue')
        .columns(['eventId', 'webhookId', 'recordedAt', 'lane', 'dueAt', 'attempts', 'tries', 'replayId'])
        .expression(({ selectFrom }) =>
          selectFrom('candidates').select(({ lit, ref, val }) => [
            'eventId',
            val(webhookId).as('webhookId'),
            'recordedAt',
            lit(lanes.replay).as('lane'),
            raw<Date>`${nextDueAt}::timestamptz
              + ${ref('position')} * interval '1 second' / ${ratePerSecond}::integer`.as('dueAt'),
            'attempts',
            lit(0).as('tries'),
            val(replayId).as('replayId'),
          ]),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning('eventId'),
    )
    .selectFrom('candidates')
    .select(({ fn, selectFrom }) => [
      fn.countAll<number>().as('found'),
      fn.max<number | null>('eventId').as('last'),
      selectFrom('queued').select(fn.countAll<number>().as('count')).as('queued'),
    ])
    .$narrowType<{ queued: number }>()
    .executeTakeFirstOrThrow();
  return { found, queued, cursor: found === limit && last !== null ? last : window.last };
}

function candidates(sql: Sql, selection: ReplaySelection) {
  const { states } = selection;
  const ended = endedStates.filter((state) => states.includes(state));
  return unionOf<Candidate>(sql, [
    ...(ended.length > 0 ? [endedCandidates(sql, selection, ended)] : []),
    ...(states.includes('SKIPPED') ? [skippedEvents(sql, selection)] : []),
  ]);
}

/**
 * Whether an event that was recorded up to this time may not be committed yet. Webhooks receive the events that are
 * recorded while they are subscribed, so only skipped events can be missed.
 */
export async function isRecording(sql: Sql, until: Date): Promise<boolean> {
  return (await run(sql, recordingUntil, [until])).length > 0;
}

// `recorded_at` is the start of the transaction. The parameter has milliseconds: include the whole last one.
const recordingUntil = defineStatement<{ pid: number }>({
  name: 'read-recording-transactions-until',
  text: `
    select pid from pg_locks join pg_stat_activity activity using (pid)
    where ${isRecordingLock} and activity.xact_start < $1::timestamptz + interval '1 millisecond'
    limit 1
  `,
  columns: { pid: 'int4' },
});

interface Candidate {
  eventId: number;
  recordedAt: Date;
  attempts: number;
}

// Events are checked only if the webhook was ever subscribed to another type.
const endedCandidates = (
  sql: Sql,
  range: DeliveryRange,
  states: readonly (typeof endedStates)[number][],
): AliasableExpression<Candidate> =>
  db(sql)
    .selectFrom(endedDeliveries(sql, range, states, 'asc').as('ended'))
    .select(['ended.eventId', 'ended.recordedAt', 'ended.attempts'])
    .where(({ exists, fn, or, selectFrom }) =>
      or([
        selectFrom('webhooks')
          .innerJoin('webhookHistory as history', 'history.webhookId', 'webhooks.id')
          .select(({ eb, ref }) =>
            fn.agg<boolean>('bool_and', [eb('history.type', '=', ref('webhooks.type'))]).as('isOfOneType'),
          )
          .where('webhooks.id', '=', range.webhookId)
          .$asScalar(),
        exists(
          selectFrom('events')
            .innerJoin('webhooks', 'webhooks.type', 'events.type')
            .select('events.id')
            .where('webhooks.id', '=', range.webhookId)
            .whereRef('events.id', '=', 'ended.eventId')
            .whereRef('events.recordedAt', '=', 'ended.recordedAt'),
        ),
      ]),
    );

/** Events that match the webhook's current settings. `limit` (or `offset 0`) keeps each partner's look-up on the index. */
const eventsForWebhook = (sql: Sql, { webhookId, events }: DeliveryRange, limit: number | null) =>
  db(sql)
    .selectFrom('webhooks')
    .innerJoin('salesPartners as partner', (join) =>
      join.on(({ and, eb, fn, or, ref }) =>
        or([
          eb('partner.id', '=', ref('webhooks.partnerId')),
          and([ref('webhooks.includeChildren'), eb(ref('webhooks.partnerId'), '=', fn.any('partner.lineage'))]),
        ]),
      ),
    )
    .crossJoinLateral(({ selectFrom }) => {
      const found = selectFrom('events')
        .select(['events.id as eventId', 'events.recordedAt'])
        .whereRef('events.partnerId', '=', 'partner.id')
        .whereRef('events.type', '=', 'webhooks.type')
        .where(({ ref }) => isInEventRange(events, ref('events.id'), ref('events.recordedAt')));
      const bounded = limit === null ? found.offset(raw.lit(0)) : found.orderBy('events.id').limit(raw.lit(limit));
      return bounded.as('event');
    })
    .select(['event.eventId', 'event.recordedAt'])
    .where('webhooks.id', '=', webhookId);

// Set operations always take one pass; anti-joins may be planned as one look-up per event.
function skippedEvents(sql: Sql, range: DeliveryRange): AliasableExpression<Candidate> {
  const { webhookId, events } = range;
  const skipped = eventsForWebhook(sql, range, null)
    .except(({ selectFrom }) =>
      selectFrom('deliveryQueue')
        .select(['deliveryQueue.eventId', 'deliveryQueue.recordedAt'])
        .where('deliveryQueue.webhookId', '=', webhookId)
        .where((eb) => eb.between('deliveryQueue.eventId', events.first, events.last)),
    )
    .except(({ selectFrom }) =>
      selectFrom('attempts')
        .select(['attempts.eventId', 'attempts.recordedAt'])
        .where('attempts.webhookId', '=', webhookId)
        .where((eb) => eb.between('attempts.eventId', events.first, events.last))
        .where('attempts.verdict', '<>', 'SUPERSEDED'),
    );
  return db(sql)
    .selectFrom(skipped.as('skipped'))
    .select(['skipped.eventId', 'skipped.recordedAt', raw<number>`0::smallint`.as('attempts')])
    .where(({ exists, or, selectFrom }) => {
      const webhook = selectFrom('webhooks').where('webhooks.id', '=', webhookId);
      return or([
        exists(webhook.select('webhooks.id').where('webhooks.filterPath', 'is', null)),
        exists(
          webhook
            .innerJoin('events', (join) =>
              join.onRef('events.id', '=', 'skipped.eventId').onRef('events.recordedAt', '=', 'skipped.recordedAt'),
            )
            .select('events.id')
            .where(({ ref }) => raw<boolean>`filter_matches(${ref('webhooks.filterPath')}, ${ref('events.body')})`),
        ),
      ]);
    });
}

// Skipped events may be sparse: search this many events at a time.
const windowSize = 2000;

async function nextWindow(sql: Sql, { states, ...range }: ReplaySelection): Promise<EventRange> {
  const { events } = range;
  if (!states.includes('SKIPPED')) return events;
  const lastOfWindow = await db(sql)
    .selectFrom(eventsForWebhook(sql, range, windowSize).as('next'))
    .select('next.eventId')
    .orderBy('next.eventId')
    .offset(raw.lit(windowSize - 1))
    .limit(raw.lit(1))
    .executeTakeFirst();
  return { ...events, last: lastOfWindow?.eventId ?? events.last };
}
