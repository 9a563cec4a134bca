import type { Sql } from '../../database/connection.ts';
import type { Lane } from './lanes.ts';

export interface DueDelivery {
  eventId: number;
  webhookId: number;
  /** As the database writes them: a Date would lose the microseconds. */
  recordedAt: string;
  dueAt: string;
  /** Tries made before this one, ever and in the schedule that it follows now. */
  attempts: number;
  tries: number;
  replayId: number | null;
  /** The webhook's revision, to tell whether what a worker remembers of it still holds. */
  revision: number;
  type: string;
  /** Empty when it is large. */
  eventText: string;
  /** Of the text. */
  bytes: number;
  /** False when the webhook has moved to another type since. */
  isWanted: boolean;
}

/** As many of this size as a worker has in hand at most take 32 MiB. */
const largeBytes = 32 * 1024;

/** Whether its text is read apart, when there is room for it. */
export const isLarge = ({ bytes }: Pick<DueDelivery, 'bytes'>): boolean => bytes > largeBytes;

/** How far a lane of a webhook has been read. */
export type Place = Pick<DueDelivery, 'dueAt' | 'eventId'>;

/** What a worker wants of a webhook it serves: so many rows behind the last one that it took. */
export interface Ask {
  webhookId: number;
  after: Place | null;
  limit: number;
}

/** Reads the next due deliveries of webhooks under lease. Reading takes nothing away: the lease does. */
export async function readDueDeliveries(sql: Sql, lane: Lane, asks: readonly Ask[]): Promise<DueDelivery[]> {
  const rows = asks.map(({ webhookId, after, limit }) => ({
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
  if (due.rows.every(({ isWanted }) => isWanted)) return due.rows;
  await dropUnwanted(sql, due.rows);
  return due.rows.filter(({ isWanted }) => isWanted);
}

/** What was recorded at the very moment when the webhook moved to another type. */
async function dropUnwanted(sql: Sql, due: readonly DueDelivery[]): Promise<void> {
  const unwanted = due.filter(({ isWanted }) => !isWanted);
  await sql.query(
    `delete from delivery_queue using unnest($1::bigint[], $2::bigint[]) as unwanted (event_id, webhook_id)
     where delivery_queue.event_id = unwanted.event_id and delivery_queue.webhook_id = unwanted.webhook_id`,
    [unwanted.map(({ eventId }) => eventId), unwanted.map(({ webhookId }) => webhookId)],
  );
}

// Every access to the queue and to the events is a lateral look-up, so that no plan can read more than it is asked for.
const readStatement = `
  select turn.event_id as "eventId", webhooks.id as "webhookId", turn.recorded_at::text as "recordedAt",
    turn.due_at::text as "dueAt", turn.attempts, turn.tries, turn.replay_id as "replayId", webhooks.revision,
    event.type, event.bytes,
    case when event.bytes > ${largeBytes} then '' else event.body end as "eventText", event.type = webhooks.type as "isWanted"
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
