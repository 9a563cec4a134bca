import type { Sql } from '../../database/connection.ts';
import type { Lane } from './lanes.ts';

export interface DueDelivery {
  eventId: number;
  webhookId: number;
  /** Timestamps as text: a Date would lose the microseconds. */
  recordedAt: string;
  dueAt: string;
  /** Previous attempts: in total, and within the current retry schedule. */
  attempts: number;
  tries: number;
  replayId: number | null;
  /** The webhook's revision, to detect an outdated cached target. */
  revision: number;
  type: string;
  /** Empty for a large event, see `LargeTexts`. */
  eventText: string;
  /** Size of the text. */
  bytes: number;
  /** False when the webhook has been changed to another event type since. */
  isSubscribed: boolean;
}

/** The maximum number of claimed deliveries of this size takes 32 MiB. */
const largeBytes = 32 * 1024;

export const isLarge = ({ bytes }: Pick<DueDelivery, 'bytes'>): boolean => bytes > largeBytes;

/** The last row read of a webhook's lane. */
export type Cursor = Pick<DueDelivery, 'dueAt' | 'eventId'>;

/** Reads up to `limit` rows of a webhook after the cursor. */
export interface ReadRequest {
  webhookId: number;
  after: Cursor | null;
  limit: number;
}

/** Reads the next due deliveries of leased webhooks. The rows are not locked or changed: the lease protects them. */
export async function readDueDeliveries(
  sql: Sql,
  lane: Lane,
  requests: readonly ReadRequest[],
): Promise<DueDelivery[]> {
  const rows = requests.map(({ webhookId, after, limit }) => ({
    w: webhookId,
    d: after?.dueAt ?? '-infinity',
    e: after?.eventId ?? 0,
    n: limit,
  }));
  const due = await sql.query<DueDelivery>({
    name: 'read-due-deliveries',
    text: readStatement,
    values: [lane, JSON.stringify(rows)],
  });
  if (due.rows.every(({ isSubscribed }) => isSubscribed)) return due.rows;
  await deleteUnsubscribed(sql, due.rows);
  return due.rows.filter(({ isSubscribed }) => isSubscribed);
}

/** Deletes deliveries that were recorded while the webhook was being changed to another event type. */
async function deleteUnsubscribed(sql: Sql, due: readonly DueDelivery[]): Promise<void> {
  const unsubscribed = due.filter(({ isSubscribed }) => !isSubscribed);
  await sql.query(
    `delete from delivery_queue using unnest($1::bigint[], $2::bigint[]) as unwanted (event_id, webhook_id)
     where delivery_queue.event_id = unwanted.event_id and delivery_queue.webhook_id = unwanted.webhook_id`,
    [unsubscribed.map(({ eventId }) => eventId), unsubscribed.map(({ webhookId }) => webhookId)],
  );
}

// Lateral look-ups keep every plan from reading more rows than requested.
const readStatement = `
  select turn.event_id as "eventId", webhooks.id as "webhookId", turn.recorded_at::text as "recordedAt",
    turn.due_at::text as "dueAt", turn.attempts, turn.tries, turn.replay_id as "replayId", webhooks.revision,
    event.type, event.bytes, case when event.bytes > ${largeBytes} then '' else event.body end as "eventText",
    event.type = webhooks.type as "isSubscribed"
  from json_to_recordset($2::json) as ask (w bigint, d timestamptz, e bigint, n integer)
  join webhooks on webhooks.id = ask.w and webhooks.enabled and webhooks.deleted_at is null
  cross join lateral (
    select event_id, recorded_at, due_at, attempts, tries, replay_id
    from delivery_queue
    where lane = $1 and webhook_id = ask.w and due_at <= now() and (due_at, event_id) > (ask.d, ask.e)
    order by due_at, event_id
    limit ask.n
  ) as turn
  cross join lateral (
    select type, body, octet_length(body) as bytes from events where id = turn.event_id and recorded_at = turn.recorded_at limit 1
  ) as event
`;
