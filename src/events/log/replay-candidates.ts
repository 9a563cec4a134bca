import type { Sql } from '../../database/connection.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import { endedStates } from './delivery.ts';
import { endedDeliveries } from './delivery-sources.ts';
import { type EventRange, rangeValues } from './log-page.ts';
import type { ReplayableState } from './replay.ts';

/** The deliveries that a replay selects. */
interface ReplaySelection {
  webhookId: number;
  states: readonly ReplayableState[];
  events: EventRange;
}

const valuesOf = ({ webhookId, events }: ReplaySelection) => [webhookId, ...rangeValues(events)];

export async function countCandidates(sql: Sql, selection: ReplaySelection): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from (${candidates(selection)}) as counted`,
    valuesOf(selection),
  );
  return rows[0]?.count ?? 0;
}

/**
 * Queues the next candidates with due times at the replay's rate. `cursor` is the last event that was checked. Deliveries
 * that are already in the queue are not changed.
 */
export async function queueCandidates(
  sql: Sql,
  selection: ReplaySelection,
  {
    replayId,
    firstDueAt,
    ratePerSecond,
    limit,
  }: { replayId: number; firstDueAt: Date; ratePerSecond: number; limit: number },
): Promise<{ found: number; queued: number; cursor: number }> {
  const window = await nextWindow(sql, selection);
  const { rows } = await sql.query<{ found: number; queued: number; last: number | null }>(
    `with candidates as (
       select *, row_number() over (order by event_id) - 1 as place
       from (${candidates(selection)} order by event_id limit $6) as next
     ), queued as (
       insert into delivery_queue
         (event_id, webhook_id, recorded_at, lane, due_at, attempts, tries, replay_id)
       select event_id, $1, recorded_at, ${lanes.replay},
         $7::timestamptz + place * interval '1 second' / $8::integer, attempts, 0, $9
       from candidates
       on conflict do nothing
       returning 1
     )
     select count(*) as found, max(event_id) as last, (select count(*) from queued) as queued from candidates`,
    [...valuesOf({ ...selection, events: window }), limit, firstDueAt, ratePerSecond, replayId],
  );
  const { found = 0, queued = 0, last = null } = rows[0] ?? {};
  return { found, queued, cursor: found === limit && last !== null ? last : window.last };
}

const candidates = ({ states }: ReplaySelection) => {
  const ended = endedStates.filter((state) => states.includes(state));
  const sources = [
    ended.length > 0 &&
      `(select event_id, recorded_at, attempts from (${endedDeliveries(ended, 'asc')}) as ended where ${isOfItsType})`,
    states.includes('SKIPPED') && `(${skippedEvents})`,
  ];
  return `select * from (${sources.filter(Boolean).join(' union all ')}) as candidates`;
};

// Events are checked only if the webhook was ever subscribed to another type.
const isOfItsType = `(
  (select bool_and(history.type = webhooks.type) from webhooks
   join webhook_history history on history.webhook_id = webhooks.id where webhooks.id = $1)
  or exists (
    select from events join webhooks on webhooks.id = $1 and webhooks.type = events.type
    where events.id = ended.event_id and events.recorded_at = ended.recorded_at
  )
)`;

/** Events that match the webhook's current settings. `ending` keeps each partner's look-up on the index. */
const eventsForWebhook = (ending: string) => `
  select event.event_id, event.recorded_at
  from webhooks
  join sales_partners partner
    on partner.id = webhooks.partner_id or (include_children and webhooks.partner_id = any (partner.lineage))
  cross join lateral (
    select id as event_id, recorded_at from events
    where partner_id = partner.id and type = webhooks.type
      and id between $2 and $3 and recorded_at >= $4 and recorded_at < $5
    ${ending}
  ) as event
  where webhooks.id = $1`;

// Set operations always take one pass; anti-joins may be planned as one look-up per event.
const skippedEvents = `
  select event_id, recorded_at, 0::smallint as attempts from (
    ${eventsForWebhook('offset 0')}
    except select event_id, recorded_at from delivery_queue where webhook_id = $1 and event_id between $2 and $3
    except select event_id, recorded_at from attempts
      where webhook_id = $1 and event_id between $2 and $3 and verdict <> 'SUPERSEDED'
  ) as skipped`;

// Skipped events may be sparse: search this many events at a time.
const windowSize = 2000;

async function nextWindow(sql: Sql, selection: ReplaySelection): Promise<EventRange> {
  if (!selection.states.includes('SKIPPED')) return selection.events;
  const { rows } = await sql.query<{ last: number }>(
    `select event_id as last from (${eventsForWebhook(`order by id limit ${windowSize}`)}) as next
     order by event_id offset ${windowSize - 1} limit 1`,
    valuesOf(selection),
  );
  return { ...selection.events, last: rows[0]?.last ?? selection.events.last };
}
