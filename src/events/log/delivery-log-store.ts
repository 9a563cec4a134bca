import type { Sql } from '../../database/connection.ts';
import { type Counted, countOf, type Snapshot, snapshotOf } from '../../database/counting.ts';
import { type Delivery, endedStates, openStates } from './delivery.ts';
import { endedDeliveries, type Order, openDeliveries } from './delivery-sources.ts';
import { type EventRange, periodOf } from './event-range.ts';
import { lastAttempt, type NullableAttemptSummary, summaryColumns, toAttemptSummary } from './last-attempt.ts';
import type { LogPage } from './log-page.ts';

export interface DeliveryFilter {
  webhookId: number;
  events: EventRange;
  states: readonly ((typeof openStates)[number] | (typeof endedStates)[number])[];
  /** Status code of the last attempt. */
  statusCode?: number;
}

export async function listDeliveries(sql: Sql, filter: DeliveryFilter, page: LogPage): Promise<Delivery[]> {
  const order = page.descending ? 'desc' : 'asc';
  const { rows } = await sql.query<Omit<Delivery, 'lastAttempt'> & NullableAttemptSummary>(
    `with page as (${matching(filter, page.offset + page.limit, order)} order by event_id ${order} offset $8 limit $7)
     select page.event_id as "eventId", $1::bigint as "webhookId", event.type, page.recorded_at as "recordedAt",
       page.attempts, page.due_at as "dueAt", page.is_requested as "isRequested", page.replay_id as "replayId", last.*
     from page
     cross join lateral (
       select type from events where id = page.event_id and recorded_at = page.recorded_at
     ) as event
     left join lateral (${lastAttempt('page', '$1', summaryColumns)}) as last on true
     order by page.event_id ${order}`,
    [...valuesOf(filter), page.limit, page.offset],
  );
  return rows.map((row) => ({ ...row, lastAttempt: toAttemptSummary(row) }));
}

export function countDeliveries(sql: Sql, filter: DeliveryFilter): Promise<Counted> {
  // The state and the status code of a delivery change, so only the total can be cached incrementally.
  const { webhookId, states, statusCode, events } = filter;
  const all = { webhookId, events, states: [...openStates, ...endedStates] };
  return countOf(sql, {
    key: `deliveries ${JSON.stringify([webhookId, states, statusCode, periodOf(events)])}`,
    owner: webhookId,
    upTo: (limit, since) => snapshot(sql, filter, limit, since),
    total: {
      key: `deliveries ${JSON.stringify([webhookId, periodOf(events)])}`,
      count: () => snapshot(sql, all, null, 0),
    },
  });
}

function snapshot(sql: Sql, filter: DeliveryFilter, limit: number | null, since: number): Promise<Snapshot> {
  const { events } = filter;
  const narrowed = { ...filter, events: { ...events, first: Math.max(events.first, since + 1) } };
  const counting = `select count(*) from (${matching(narrowed, limit ?? 'all')} limit $7) as counted`;
  return snapshotOf(sql, 'events', counting, [...valuesOf(narrowed), limit]);
}

const valuesOf = ({ webhookId, events, statusCode }: DeliveryFilter) => [
  webhookId,
  events.first,
  events.last,
  events.from,
  events.before,
  statusCode ?? null,
];

/** SQL for open and ended deliveries, at most `most` of each. */
function matching({ states }: DeliveryFilter, most: number | 'all', order: Order = 'desc'): string {
  const open = openStates.filter((state) => states.includes(state));
  const ended = endedStates.filter((state) => states.includes(state));
  const hasStatus = (status: string) => `where $6::smallint is null or ${status} = $6`;
  const sources = [
    open.length > 0 &&
      `(select event_id, recorded_at, attempts, due_at, is_requested, replay_id
        from (${openDeliveries(open, order)}) as open
        ${hasStatus(`(${lastAttempt('open', '$1', 'status_code')})`)} order by event_id ${order} limit ${most})`,
    ended.length > 0 &&
      `(select event_id, recorded_at, attempts, null::timestamptz as due_at, false as is_requested,
          null::bigint as replay_id
        from (${endedDeliveries(ended, order)}) as ended
        ${hasStatus('status_code')} order by event_id ${order} limit ${most})`,
  ];
  return `select * from (${sources.filter(Boolean).join(' union all ')}) as matching`;
}
