import type { Sql } from '../../database/connection.ts';
import type { Lane } from './lanes.ts';

export interface DueDelivery {
  eventId: number;
  webhookId: number;
  recordedAt: Date;
  dueAt: Date;
  /** Tries made before this one, ever and in the schedule that it follows now. */
  attempts: number;
  tries: number;
  replayId: number | null;
  /** The webhook's revision, to tell whether what a worker remembers of it still holds. */
  revision: number;
  window: number;
  consecutiveFailures: number;
  trips: number;
  type: string;
  eventText: string;
}

/** What a worker wants of a webhook it serves: so many rows behind the last one that it took. */
export interface Ask {
  webhookId: number;
  after: { dueAt: Date; eventId: number } | null;
  limit: number;
}

/** Reads the next due deliveries of webhooks under lease. Reading takes nothing away: the lease does. */
export async function readDueDeliveries(
  sql: Sql,
  request: { lane: Lane; windowShare: number; failingToo: boolean; asks: readonly Ask[] },
): Promise<DueDelivery[]> {
  const asks = request.asks.map(({ webhookId, after, limit }) => ({
    w: webhookId,
    d: after?.dueAt ?? '-infinity',
    e: after?.eventId ?? 0,
    n: limit,
  }));
  const { rows } = await sql.query<DueDelivery>({
    name: 'read-due-deliveries',
    text: readStatement,
    values: [request.lane, request.windowShare, request.failingToo, JSON.stringify(asks)],
  });
  return rows;
}

// Every access to the queue and to the events is a lateral look-up, so that no plan can read more than it is asked for.
const readStatement = `
  select turn.event_id as "eventId", webhooks.id as "webhookId", turn.recorded_at as "recordedAt",
    turn.due_at as "dueAt", turn.attempts, turn.tries, turn.replay_id as "replayId", webhooks.revision,
    health.send_window as "window", health.consecutive_failures as "consecutiveFailures", health.trips,
    event.type, event.body as "eventText"
  from json_to_recordset($4::json) as ask (w bigint, d timestamptz, e bigint, n integer)
  join webhooks on webhooks.id = ask.w and webhooks.enabled and webhooks.deleted_at is null
  join webhook_health health on health.webhook_id = ask.w
    and (health.open_until is null or health.open_until <= now())
    and ($3::boolean or health.consecutive_failures = 0)
  cross join lateral (
    select event_id, recorded_at, due_at, attempts, tries, replay_id
    from delivery_queue
    where lane = $1 and webhook_id = ask.w and due_at <= now() and (due_at, event_id) > (ask.d, ask.e)
    order by due_at, event_id
    limit case when health.trips > 0 then 1 else least(ask.n, greatest(1, health.send_window / $2::integer)) end
  ) as turn
  cross join lateral (
    select type, body from events where id = turn.event_id and recorded_at = turn.recorded_at limit 1
  ) as event
`;
