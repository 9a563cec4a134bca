import type { Sql } from '../../database/connection.ts';
import { type Counted, countOf, snapshotOf } from '../../database/counting.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import {
  lastAttempt,
  type NullableAttemptSummary,
  type Order,
  summaryColumns,
  toAttemptSummary,
} from './delivery-sources.ts';
import type { EventWebhookMatch, PastWebhook, RecordedEvent } from './event.ts';
import { afterEvent, type EventRange, type LogPage, periodOf, rangeValues } from './log-page.ts';

interface EventFilter {
  callerId: number;
  includeChildren: boolean;
  types: readonly EventTypeName[];
  events: EventRange;
}

// The index starts with partner and type: read the first rows of each pair and merge them.
const matching = (most: string, order: Order = 'desc') => `
  select event.id, event.recorded_at
  from sales_partners partner
  cross join unnest($3::text[]) as wanted (type)
  cross join lateral (
    select id, recorded_at from events
    where partner_id = partner.id and type = wanted.type
      and id between $4 and $5 and recorded_at >= $6 and recorded_at < $7
    order by id ${order} limit ${most}
  ) as event
  where partner.id = $1 or ($2 and $1 = any (partner.lineage))`;

const valuesOf = ({ callerId, includeChildren, types, events }: EventFilter) => [
  callerId,
  includeChildren,
  types,
  ...rangeValues(events),
];

const eventColumns = `event.id as "eventId", event.partner_id as "partnerId", event.type,
  event.recorded_at as "recordedAt", event.body as text`;

export async function listEvents(
  sql: Sql,
  filter: EventFilter,
  page: LogPage,
): Promise<(RecordedEvent & { isTopmost: boolean })[]> {
  const order = page.descending ? 'desc' : 'asc';
  const { rows } = await sql.query<RecordedEvent & { isTopmost: boolean }>(
    `with page as (${matching('$8::bigint + $9', order)} order by id ${order} offset $8 limit $9)
     select ${eventColumns}, partner.lineage[1] = $1 as "isTopmost"
     from page
     cross join lateral (
       select * from events where id = page.id and recorded_at = page.recorded_at
     ) as event
     join sales_partners partner on partner.id = event.partner_id
     order by event.id ${order}`,
    [...valuesOf(filter), page.offset, page.limit],
  );
  return rows;
}

export function countEvents(sql: Sql, filter: EventFilter): Promise<Counted> {
  const { callerId, includeChildren, types, events: range } = filter;
  const key = `events ${JSON.stringify([callerId, includeChildren, types, periodOf(range)])}`;
  const upTo = (limit: number | null, since: number) => {
    const narrowed = { ...filter, events: afterEvent(filter.events, since, false) };
    const counting = `select count(*) from (${matching('$8')} limit $8) as matching`;
    return snapshotOf(sql, 'events', counting, [...valuesOf(narrowed), limit]);
  };
  // Events are immutable, so the count of matching events is also the total.
  return countOf(sql, { key, owner: callerId, upTo, total: { key, count: () => upTo(null, 0) } });
}

/** A partner sees its own events and those of its descendants. `isTopmost`: the caller has no parent partner. */
export async function findEvent(
  sql: Sql,
  callerId: number,
  id: number,
): Promise<(RecordedEvent & { isTopmost: boolean }) | undefined> {
  const { rows } = await sql.query<RecordedEvent & { isTopmost: boolean }>(
    `select ${eventColumns}, partner.lineage[1] = $1 as "isTopmost"
     from events event join sales_partners partner on partner.id = event.partner_id and $1 = any (partner.lineage)
     where event.id = $2`,
    [callerId, id],
  );
  return rows[0];
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
  const { rows } = await sql.query<MatchRow>(matchStatement, [callerId, [...known.keys()]]);
  const matches = rows.map((row) => {
    const event = known.get(row.eventId) as RecordedEvent;
    return { event, ...matchOf(row, event) };
  });
  return Map.groupBy(matches, ({ event }) => event.eventId);
}

type MatchRow = EventWebhookMatch['webhook'] &
  NullableAttemptSummary & {
    eventId: number;
    past: PastWebhook | null;
    dueAt: Date | null;
    isRequested: boolean | null;
    queuedAttempts: number | null;
    replayId: number | null;
  };

function matchOf(row: MatchRow, event: RecordedEvent): Omit<EventWebhookMatch, 'event'> {
  const { id, partnerId, pushUrl, enabled, disabledReason, pausedUntil, deleted, dueAt, replayId } = row;
  const isRequested = row.isRequested ?? false;
  const { eventId, type, recordedAt } = event;
  const lastAttempt = toAttemptSummary(row);
  const attempts = row.queuedAttempts ?? lastAttempt?.number ?? 0;
  return {
    webhook: { id, partnerId, type: row.type, pushUrl, enabled, disabledReason, pausedUntil, deleted },
    past: row.past,
    delivery:
      dueAt || lastAttempt
        ? { eventId, webhookId: id, type, recordedAt, attempts, dueAt, isRequested, replayId, lastAttempt }
        : null,
  };
}

// Deleted webhooks are included only for the event's type.
const matchStatement = `
  with recorded as (select id as event_id, recorded_at, partner_id, type from events where id = any ($2))
  select recorded.event_id as "eventId", webhooks.id, webhooks.partner_id as "partnerId", webhooks.type,
    push_url as "pushUrl", webhooks.enabled, disabled_reason as "disabledReason", open_until as "pausedUntil", deleted_at is not null as deleted,
    history.past, queue.due_at as "dueAt", queue.lane = ${lanes.requested} as "isRequested",
    queue.attempts as "queuedAttempts", queue.replay_id as "replayId", last.*
  from recorded
  join sales_partners partner on partner.id = recorded.partner_id
  join sales_partners owner on owner.id = any (partner.lineage) and $1 = any (owner.lineage)
  join webhooks on webhooks.partner_id = owner.id and (deleted_at is null or webhooks.type = recorded.type)
  join webhook_health health on health.webhook_id = webhooks.id
  left join lateral (
    select json_build_object('type', type, 'enabled', enabled, 'includeChildren', include_children,
      'deleted', deleted) as past
    from webhook_history where webhook_id = webhooks.id and changed_at <= recorded.recorded_at
    order by changed_at desc limit 1
  ) as history on true
  left join delivery_queue queue on queue.event_id = recorded.event_id and queue.webhook_id = webhooks.id
  left join lateral (${lastAttempt('recorded', 'webhooks.id', summaryColumns)}) as last on true
  order by recorded.event_id, webhooks.id
`;
