import type { Sql } from '../../database/connection.ts';
import { type Counted, countOf, type Snapshot, snapshotOf } from '../../database/counting.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import type { Attempt } from './attempt.ts';
import { type Delivery, endedStates, openStates, type WebhookStatus } from './delivery.ts';
import {
  endedDeliveries,
  lastAttempt,
  type NullableAttemptSummary,
  type Order,
  openDeliveries,
  summaryColumns,
  toAttemptSummary,
} from './delivery-sources.ts';
import { afterEvent, type EventRange, type LogPage, periodOf, rangeValues } from './log-page.ts';

interface DeliveryFilter {
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
  const narrowed = { ...filter, events: afterEvent(filter.events, since, false) };
  const counting = `select count(*) from (${matching(narrowed, limit ?? 'all')} limit $7) as counted`;
  return snapshotOf(sql, 'events', counting, [...valuesOf(narrowed), limit]);
}

const valuesOf = ({ webhookId, events, statusCode }: DeliveryFilter) => [
  webhookId,
  ...rangeValues(events),
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
  const [{ rows }, history] = await Promise.all([
    sql.query<DetailsRow>(findStatement, [callerId, key.eventId, key.webhookId]),
    readHistory(sql, key),
  ]);
  const row = rows[0];
  if (!row || (row.dueAt === null && history.length === 0)) return undefined;
  const { type, recordedAt, dueAt, isRequested, replayId, queuedAttempts, eventText, ...webhook } = row;
  const lastAttempt = history.findLast(({ verdict }) => verdict !== 'SUPERSEDED') ?? null;
  const attempts = queuedAttempts ?? lastAttempt?.number ?? 0;
  return {
    delivery: { ...key, type, recordedAt, attempts, dueAt, isRequested: isRequested ?? false, replayId, lastAttempt },
    webhook,
    eventText,
    history,
  };
}

interface DetailsRow extends WebhookStatus {
  type: string;
  recordedAt: Date;
  eventText: string;
  pushUrl: string;
  webhookType: string;
  dueAt: Date | null;
  isRequested: boolean | null;
  replayId: number | null;
  queuedAttempts: number | null;
}

const findStatement = `
  select event.type, event.recorded_at as "recordedAt", event.body as "eventText",
    push_url as "pushUrl", webhooks.type as "webhookType", enabled, disabled_reason as "disabledReason", open_until as "pausedUntil",
    deleted_at is not null as deleted,
    due_at as "dueAt", lane = ${lanes.requested} as "isRequested", replay_id as "replayId", queue.attempts as "queuedAttempts"
  from webhooks
  join sales_partners owner on owner.id = webhooks.partner_id and $1 = any (owner.lineage)
  join webhook_health health on health.webhook_id = webhooks.id
  join events event on event.id = $2
  left join delivery_queue queue on queue.event_id = $2 and queue.webhook_id = $3
  where webhooks.id = $3
`;

/** Oldest first. */
async function readHistory(sql: Sql, { eventId, webhookId }: DeliveryKey): Promise<Attempt[]> {
  const { rows } = await sql.query<Attempt>(
    `select number, started_at as "startedAt", url, outcome, status_code as "statusCode", reason, detail,
       dns_ms as "dnsMs", connect_ms as "connectMs", tls_ms as "tlsMs", first_byte_ms as "firstByteMs",
       total_ms as "totalMs", response_headers as headers, response_body as body, response_truncated as truncated,
       verdict, replay_id as "replayId"
     from attempts where event_id = $1 and webhook_id = $2
     order by number desc, started_at desc limit ${maxHistory}`,
    [eventId, webhookId],
  );
  return rows.reverse();
}

/** Makes a waiting delivery due now and moves it to the lane that ignores the breaker. */
export async function makeDue(sql: Sql, { eventId, webhookId }: DeliveryKey): Promise<void> {
  await sql.query(
    `update delivery_queue set due_at = least(due_at, now()), lane = ${lanes.requested}
     where event_id = $1 and webhook_id = $2`,
    [eventId, webhookId],
  );
}

/** Puts an ended delivery back into the queue, due now. Attempt numbers continue; the retry schedule restarts. */
export async function requeue(sql: Sql, { eventId, webhookId }: DeliveryKey, attempts: number): Promise<void> {
  await sql.query(
    `insert into delivery_queue (event_id, webhook_id, recorded_at, lane, due_at, attempts, tries)
     select id, $2, recorded_at, ${lanes.requested}, now(), $3, 0 from events where id = $1
     on conflict do nothing`,
    [eventId, webhookId, attempts],
  );
}
