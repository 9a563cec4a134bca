import { Database, type Sql } from '../../database/connection.ts';
import { defineStatement, run } from '../../database/statement.ts';

/**
 * Connections for the hot statements. The queue size changes too fast for statistics, so plans always use the index.
 * A lease or settlement lost in a server crash causes at most a second delivery, so commits do not wait for the disk.
 */
export function openQueueDatabase(url: string): Database {
  return new Database(url, {
    connections: 4,
    name: 'waypost delivery',
    statementLimit: 'delivery',
    settings: {
      enable_seqscan: 'off',
      enable_hashjoin: 'off',
      enable_mergejoin: 'off',
      plan_cache_mode: 'force_generic_plan',
      synchronous_commit: 'off',
    },
  });
}

/**
 * First attempts, retries and replays are read separately, so none waits behind another. Deliveries requested by a user
 * are sent even while the breaker is open. First attempts of ordered webhooks have a lane of their own, see
 * `OrderedQueue`.
 */
export const lanes = { first: 0, retry: 1, replay: 2, requested: 3, ordered: 4 } as const;
export type Lane = (typeof lanes)[keyof typeof lanes];

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
  /** The trace of the change as one text, if traces are exported. */
  traceparent: string | null;
  /** False when the webhook has been changed to another event type since. */
  isSubscribed: boolean;
  /** Only in the lane of ordered webhooks. */
  orderKey?: number;
}

/** CTE: the first row of each lane and webhook. A loose index scan, which reads no other rows. */
export const queueHeads = (columns: string, condition = 'true') => `
  heads as (
    (select ${columns} from delivery_queue where ${condition} order by lane, webhook_id, due_at limit 1)
    union all
    select next.* from heads cross join lateral (
      select ${columns} from delivery_queue
      where (lane, webhook_id) > (heads.lane, heads.webhook_id) order by lane, webhook_id, due_at limit 1
    ) as next
  )`;

/** The maximum number of claimed deliveries of this size takes 32 MiB. */
export const largeBytes = 32 * 1024;

const isLarge = ({ bytes }: Pick<DueDelivery, 'bytes'>): boolean => bytes > largeBytes;

/** The last row read of a webhook's lane. */
export type Cursor = Pick<DueDelivery, 'dueAt' | 'eventId'>;

/** Reads up to `limit` rows of a webhook after the cursor. */
export interface ReadRequest {
  webhookId: number;
  after: Cursor | null;
  limit: number;
  /** Ids of events to skip, because their deliveries are claimed. */
  claimed: readonly number[];
}

/** Reads the next due deliveries of leased webhooks. The rows are not locked or changed: the lease protects them. */
export async function readDueDeliveries(
  sql: Sql,
  lane: Lane,
  requests: readonly ReadRequest[],
): Promise<DueDelivery[]> {
  const rows = requests.map(({ webhookId, after, limit, claimed }) => ({
    w: webhookId,
    d: after?.dueAt ?? '-infinity',
    e: after?.eventId ?? 0,
    n: limit,
    c: claimed,
  }));
  return withoutUnsubscribed(sql, await run(sql, readStatement, [lane, JSON.stringify(rows)]));
}

/** Deletes deliveries that were recorded while the webhook was being changed to another event type. */
export async function withoutUnsubscribed(sql: Sql, due: DueDelivery[]): Promise<DueDelivery[]> {
  if (due.every(({ isSubscribed }) => isSubscribed)) return due;
  const unsubscribed = due.filter(({ isSubscribed }) => !isSubscribed);
  await run(sql, deleteStatement, [
    unsubscribed.map(({ eventId }) => eventId),
    unsubscribed.map(({ webhookId }) => webhookId),
  ]);
  return due.filter(({ isSubscribed }) => isSubscribed);
}

const deleteStatement = defineStatement({
  name: 'delete-unsubscribed-deliveries',
  text: `delete from delivery_queue using unnest($1::bigint[], $2::bigint[]) as unwanted (event_id, webhook_id)
         where delivery_queue.event_id = unwanted.event_id and delivery_queue.webhook_id = unwanted.webhook_id`,
});

/** The result columns of a read. */
export const dueColumns = {
  eventId: 'int8',
  webhookId: 'int8',
  recordedAt: 'text',
  dueAt: 'text',
  attempts: 'int2',
  tries: 'int2',
  replayId: 'int8',
  revision: 'int4',
  type: 'text',
  bytes: 'int4',
  eventText: 'text',
  traceparent: 'text',
  isSubscribed: 'bool',
} as const;

// Lateral look-ups keep every plan from reading more rows than requested.
const readStatement = defineStatement<Omit<DueDelivery, 'orderKey'>>({
  name: 'read-due-deliveries',
  text: `
    select turn.event_id, webhooks.id as webhook_id, turn.recorded_at::text, turn.due_at::text, turn.attempts, turn.tries,
      turn.replay_id, webhooks.revision, event.type, event.bytes,
      case when event.bytes > ${largeBytes} then '' else event.body end as event_text, event.traceparent,
      event.type = webhooks.type as is_subscribed
    from json_to_recordset($2::json) as ask (w bigint, d timestamptz, e bigint, n integer, c bigint[])
    join webhooks on webhooks.id = ask.w and webhooks.enabled and webhooks.deleted_at is null
    cross join lateral (
      select event_id, recorded_at, due_at, attempts, tries, replay_id
      from delivery_queue
      where lane = $1 and webhook_id = ask.w and due_at <= now() and (due_at, event_id) > (ask.d, ask.e)
        and event_id <> all (ask.c)
      order by due_at, event_id
      limit ask.n
    ) as turn
    cross join lateral (
      select type, body, octet_length(body) as bytes, traceparent from events
      where id = turn.event_id and recorded_at = turn.recorded_at limit 1
    ) as event
  `,
  columns: dueColumns,
});

/** Each text is in memory about three times: as read, signed and as a request. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Limits the memory for texts of large events: 1,024 deliveries of 900 kB would take a gigabyte. They are not read with
 * the queue but when there is capacity. Every webhook may always hold one, so that slow receivers of other webhooks do
 * not block it.
 */
export class LargeTexts {
  readonly #sql: Sql;
  readonly #heldBy = new Map<number, number>();
  #bytes = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Reads the texts that fit and returns the deliveries that are ready. Each of them must be released. */
  async read(due: readonly DueDelivery[]): Promise<readonly DueDelivery[]> {
    if (!due.some(isLarge)) return due;
    const admitted = due.filter((delivery) => isLarge(delivery) && this.#admit(delivery));
    let texts = new Map<number, string>();
    try {
      texts = await readTexts(this.#sql, admitted);
    } finally {
      for (const delivery of admitted) {
        const text = texts.get(delivery.eventId);
        if (text === undefined) this.release(delivery);
        else delivery.eventText = text;
      }
    }
    return due.filter((delivery) => !isLarge(delivery) || delivery.eventText !== '');
  }

  release(delivery: DueDelivery): void {
    if (isLarge(delivery)) this.#count(delivery, -1);
  }

  #admit(delivery: DueDelivery): boolean {
    const isFirst = !this.#heldBy.has(delivery.webhookId);
    if (!isFirst && this.#bytes + delivery.bytes > maxBytes) return false;
    this.#count(delivery, 1);
    return true;
  }

  #count({ webhookId, bytes }: DueDelivery, by: 1 | -1): void {
    this.#bytes += by * bytes;
    const held = (this.#heldBy.get(webhookId) ?? 0) + by;
    if (held > 0) this.#heldBy.set(webhookId, held);
    else this.#heldBy.delete(webhookId);
  }
}

async function readTexts(sql: Sql, due: readonly DueDelivery[]): Promise<Map<number, string>> {
  const texts = await run(sql, readLargeStatement, [
    due.map(({ eventId }) => eventId),
    due.map(({ recordedAt }) => recordedAt),
  ]);
  return new Map(texts.map(({ id, body }) => [id, body]));
}

const readLargeStatement = defineStatement<{ id: number; body: string }>({
  name: 'read-large-texts',
  text: `select event.id, event.body from unnest($1::bigint[], $2::timestamptz[]) as wanted (id, recorded_at)
         cross join lateral (
           select id, body from events where id = wanted.id and recorded_at = wanted.recorded_at limit 1
         ) as event`,
  columns: { id: 'int8', body: 'text' },
});
