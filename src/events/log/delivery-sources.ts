import { lanes } from '../delivery/delivery-queue.ts';
import type { AttemptSummary } from './attempt.ts';
import { type endedStates, openStates } from './delivery.ts';

/**
 * SQL for the deliveries of webhook $1 with event ids $2 to $3, recorded from $4 and before $5. Queue and attempts are
 * looked up per delivery in index order, so the cost of a page does not depend on the size of the log.
 */

export type Order = 'asc' | 'desc';
type EndedState = (typeof endedStates)[number];

// Attempts start after their event was recorded, give or take clock skew: limits the look-up to the right partitions.
const clockSkew = "interval '1 hour'";
const attemptedSince = (recordedAt: string) =>
  `started_at between ${recordedAt} - ${clockSkew} and now() + ${clockSkew}`;

const isInPeriod = (table: string) => `${table}.recorded_at >= $4 and ${table}.recorded_at < $5`;

const isNotQueued = (table: string) => `(
  select true from delivery_queue queue where queue.event_id = ${table}.event_id and queue.webhook_id = $1
) is null`;

/** Deliveries in the queue. */
export const openDeliveries = (states: readonly (typeof openStates)[number][], order: Order) => `
  select queue.event_id, queue.recorded_at, queue.attempts, queue.due_at,
    queue.lane = ${lanes.requested} as is_requested, queue.replay_id
  from delivery_queue queue
  where queue.webhook_id = $1 and queue.event_id between $2 and $3 and ${isInPeriod('queue')}
    ${states.length < openStates.length ? `and queue.attempts ${states[0] === 'WAITING' ? '= 0' : '> 0'}` : ''}
  order by queue.event_id ${order}`;

/** Deliveries that are no longer in the queue, with their last verdict. */
export const endedDeliveries = (states: readonly EndedState[], order: Order) =>
  states.includes('DELIVERED') ? anyEnded(states, order) : discarded(order);

const anyEnded = (states: readonly EndedState[], order: Order) => `
  select ended.* from (
    select distinct on (event_id) event_id, recorded_at, number as attempts, status_code, verdict
    from attempts
    where webhook_id = $1 and event_id between $2 and $3 and verdict in ('DELIVERED', 'DISCARDED')
    order by event_id ${order}, number desc
  ) as ended
  where ${isInPeriod('ended')} and ended.verdict in (${states.map((state) => `'${state}'`).join()})
    and ${isNotQueued('ended')}
  order by ended.event_id ${order}`;

// Discarded deliveries are rare: read by their own index, then checked for a later attempt or retry.
const discarded = (order: Order) => `
  select ended.event_id, ended.recorded_at, ended.number as attempts, ended.status_code, ended.verdict
  from attempts ended
  cross join lateral (
    select number from attempts
    where event_id = ended.event_id and webhook_id = $1 and verdict in ('DELIVERED', 'DISCARDED')
      and ${attemptedSince('ended.recorded_at')}
    order by number desc limit 1
  ) as last
  where ended.webhook_id = $1 and ended.event_id between $2 and $3 and ended.verdict = 'DISCARDED'
    and ${isInPeriod('ended')} and ended.number = last.number and ${isNotQueued('ended')}
  order by ended.event_id ${order}`;

/** SQL for the last attempt that was not superseded, for a row with event_id and recorded_at. */
export const lastAttempt = (row: string, webhookId: string, columns: string) => `
  select ${columns} from attempts
  where event_id = ${row}.event_id and webhook_id = ${webhookId} and verdict <> 'SUPERSEDED'
    and ${attemptedSince(`${row}.recorded_at`)}
  order by number desc limit 1`;

// Only the explanation of a redirect needs the headers.
export const summaryColumns = `number, started_at as "startedAt", outcome, status_code as "statusCode", reason, detail,
  total_ms as "totalMs", case when status_code between 300 and 399 then response_headers end as headers, verdict`;

/** Columns of a left join. */
export type NullableAttemptSummary = AttemptSummary | { [Column in keyof AttemptSummary]: null };

export function toAttemptSummary(row: NullableAttemptSummary): AttemptSummary | null {
  if (row.number === null) return null;
  const { number, startedAt, outcome, statusCode, headers, reason, detail, totalMs, verdict } = row;
  return { number, startedAt, outcome, statusCode, headers, reason, detail, totalMs, verdict };
}
