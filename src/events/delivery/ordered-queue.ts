import { LRUCache } from 'lru-cache';
import type { Sql } from '../../database/connection.ts';
import { defineStatement, run } from '../../database/statement.ts';
import {
  type DueDelivery,
  dueColumns,
  lanes,
  largeBytes,
  type ReadRequest,
  withoutUnsubscribed,
} from './delivery-queue.ts';

/** Ordered webhooks with the same partner and push URL keep one order. */
const orderedDestination = `
  select array_agg(sibling.id) as ids from webhooks sibling
  where sibling.partner_id = webhooks.partner_id and sibling.push_url = webhooks.push_url
    and sibling.ordered and sibling.enabled and sibling.deleted_at is null`;

/**
 * The first waiting event of the same key before this event, which holds its delivery back; null if there is none. One
 * index descent per webhook, however many deliveries wait.
 */
const blockingEvent = (sql: { webhookIds: string; orderKey: string; eventId: string }) => `(
  select min(first.event_id)
  from unnest(${sql.webhookIds}) as other (webhook_id)
  cross join lateral (
    select waiting.event_id from delivery_queue waiting
    where waiting.webhook_id = other.webhook_id and waiting.order_key = ${sql.orderKey}
      and waiting.event_id < ${sql.eventId}
    order by waiting.event_id limit 1
  ) as first
)`;

/** The event that a row of the queue waits for, as an expression; null if it can be sent. */
export const awaitedEvent = (queue: { webhookId: string; orderKey: string; eventId: string }): string => {
  const webhookIds = `(
    select destination.ids from webhooks cross join lateral (${orderedDestination}) as destination
    where webhooks.id = ${queue.webhookId})`;
  return `case when ${queue.orderKey} is not null then ${blockingEvent({ ...queue, webhookIds })} end`;
};

/** The newest event that waits for these webhooks and must be sent before later events of its key. */
export async function newestOrderedEvent(sql: Sql, webhookIds: readonly number[]): Promise<number | null> {
  const [newest] = await run(sql, newestOrdered, [webhookIds]);
  return newest?.eventId ?? null;
}

const newestOrdered = defineStatement<{ eventId: number | null }>({
  name: 'newest-ordered-event',
  text: `select max(event_id) as event_id from delivery_queue where webhook_id = any ($1::bigint[]) and order_key is not null`,
  columns: { eventId: 'int8' },
});

/** Keys that one read examines beyond those that it returns: a receiver that is down can hold back many. */
const maxHeldBack = 100;
const minDelayMs = 10;
const maxDelayMs = 1000;

/** Where the next read of a webhook continues. */
interface Position {
  /** The last examined key. */
  key: number;
  /** Only held-back deliveries were found, so the webhook is not read before this time. */
  restsUntil: number;
  restMs: number;
}

/**
 * The first attempts of ordered webhooks. Only the oldest delivery of a key is read, so the cost does not depend on the
 * number of deliveries behind it. A delivery leaves the queue when it has ended, so the next one is read after that, also
 * by another worker. Retries and requested deliveries are the oldest of their key, and need no check.
 *
 * The keys of a webhook are read in turn: each read continues after the last examined key of the previous one.
 */
export class OrderedQueue {
  readonly #sql: Sql;
  readonly #recorded: RecordedEvents;
  readonly #wakeIn: (delayMs: number) => void;
  /** Of webhooks whose keys were not read to the end. */
  readonly #positions = new LRUCache<number, Position>({ max: 100_000 });
  #incompleteMs = minDelayMs;
  #completeId = 0;
  /** The last read found as many sendable deliveries as it wanted. */
  #hasBacklog = false;

  /** `wakeIn`: read again after this time, because deliveries are left. */
  constructor(sql: Sql, wakeIn: (delayMs: number) => void) {
    this.#sql = sql;
    this.#recorded = new RecordedEvents(sql);
    this.#wakeIn = wakeIn;
  }

  /** Like `readDueDeliveries`, in the order of keys. */
  async read(all: readonly ReadRequest[]): Promise<DueDelivery[]> {
    const now = performance.now();
    const requests = all.filter(({ webhookId }) => (this.#positions.get(webhookId)?.restsUntil ?? 0) <= now);
    if (requests.length === 0) return [];
    const rows = requests.map(({ webhookId, limit, claimed }) => ({
      w: webhookId,
      k: this.#positions.get(webhookId)?.key ?? Number.MIN_SAFE_INTEGER,
      n: limit,
      c: claimed,
    }));
    // For a backlog, the last known id is enough. Deliveries beyond it are incomplete until it is read again.
    if (!this.#hasBacklog) this.#completeId = await this.#recorded.lastComplete();
    const examined = await run(this.#sql, readStatement, [JSON.stringify(rows), this.#completeId]);
    const last = new Map(examined.map((delivery) => [delivery.webhookId, delivery]));
    this.#hasBacklog =
      requests.every(({ webhookId, limit }) => last.get(webhookId)?.found === limit) &&
      !examined.some(({ isIncomplete }) => isIncomplete);
    for (const { webhookId, limit } of requests) this.#advance(webhookId, limit, last.get(webhookId));
    this.#awaitIncomplete(examined);
    return withoutUnsubscribed(
      this.#sql,
      examined.filter(({ isSendable }) => isSendable),
    );
  }

  #advance(webhookId: number, limit: number, last: ExaminedDelivery | undefined): void {
    const before = this.#positions.get(webhookId);
    if (!last || (last.found < limit && last.depth < limit + maxHeldBack)) {
      this.#positions.delete(webhookId);
      // At the end. The keys before the first one of this read are left.
      if (before) this.#wakeIn(0);
      return;
    }
    const restMs = last.found > 0 ? 0 : Math.min(maxDelayMs, Math.max(minDelayMs, (before?.restMs ?? 0) * 2));
    this.#positions.set(webhookId, { key: last.orderKey, restMs, restsUntil: performance.now() + restMs });
    if (last.found < limit) this.#wakeIn(restMs);
  }

  #awaitIncomplete(examined: readonly ExaminedDelivery[]): void {
    if (!examined.some(({ isIncomplete }) => isIncomplete)) {
      this.#incompleteMs = minDelayMs;
      return;
    }
    this.#wakeIn(this.#incompleteMs);
    this.#incompleteMs = Math.min(maxDelayMs, this.#incompleteMs * 2);
  }
}

interface ExaminedDelivery extends Required<DueDelivery> {
  isSendable: boolean;
  /** An event with a lower id may still be committed. */
  isIncomplete: boolean;
  /** Number of examined keys of the webhook up to this one, and of sendable deliveries among them. */
  depth: number;
  found: number;
}

/**
 * The oldest delivery of the next key, and whether it can be sent. Other lanes send their own deliveries. With "offset 0",
 * the server evaluates the condition once instead of once for each column that uses it.
 */
const nextOldest = (previous: { key: string; depth: string; found: string }) => `
  select oldest.*, judged.is_free and oldest.event_id <= $2 as is_sendable,
    judged.is_free and oldest.event_id > $2 as is_incomplete, ${previous.depth} + 1 as depth,
    ${previous.found} + (judged.is_free and oldest.event_id <= $2)::integer as found
  from (
    select event_id, recorded_at, due_at, attempts, tries, replay_id, order_key, lane from delivery_queue
    where webhook_id = ask.w and order_key > ${previous.key}
    order by order_key, event_id limit 1
  ) as oldest
  cross join lateral (
    select oldest.lane = ${lanes.ordered} and oldest.due_at <= now() and oldest.event_id <> all (ask.c) and (
      destination.others = '{}'
      or ${blockingEvent({ webhookIds: 'destination.others', orderKey: 'oldest.order_key', eventId: 'oldest.event_id' })} is null
    ) as is_free
    offset 0
  ) as judged`;

// Loose index scan over the keys; it ends when enough deliveries are found or enough keys are examined.
const readStatement = defineStatement<ExaminedDelivery>({
  name: 'read-ordered-deliveries',
  text: `
    select turn.event_id, webhooks.id as webhook_id, turn.recorded_at::text, turn.due_at::text, turn.attempts, turn.tries,
      turn.replay_id, webhooks.revision, event.type, octet_length(event.body) as bytes,
      case when octet_length(event.body) > ${largeBytes} then '' else event.body end as event_text, event.traceparent,
      event.type = webhooks.type as is_subscribed, turn.order_key, turn.is_sendable and event.type is not null as is_sendable,
      turn.is_incomplete, turn.depth, turn.found
    from json_to_recordset($1::json) as ask (w bigint, k bigint, n integer, c bigint[])
    join webhooks on webhooks.id = ask.w and webhooks.enabled and webhooks.deleted_at is null
    cross join lateral (
      select array_remove(ids, ask.w) as others from (${orderedDestination}) as destination
    ) as destination
    cross join lateral (
      with recursive examined as (
        (${nextOldest({ key: 'ask.k', depth: '0', found: '0' })})
        union all
        select next.* from examined
        cross join lateral (${nextOldest({ key: 'examined.order_key', depth: 'examined.depth', found: 'examined.found' })}) as next
        where examined.found < ask.n and examined.depth < ask.n + ${maxHeldBack}
      )
      select * from examined
    ) as turn
    left join lateral (
      select type, body, traceparent from events
      where turn.is_sendable and id = turn.event_id and recorded_at = turn.recorded_at limit 1
    ) as event on true
    order by webhooks.id, turn.depth
  `,
  columns: {
    ...dueColumns,
    orderKey: 'int8',
    isSendable: 'bool',
    isIncomplete: 'bool',
    depth: 'int4',
    found: 'int4',
  },
});

/**
 * Ids are drawn before the commit, so an event could be found before one with a lower id. The server locks a sequence for
 * each transaction that draws from it, before the first number and until the transaction ends. A transaction that is missing
 * in a read of these locks draws ids above the last id of that read.
 */
class RecordedEvents {
  readonly #sql: Sql;
  #lastId = 0;
  /** Transactions in progress, with an id below all of theirs. */
  #transactions: ReadonlyMap<string, number> = new Map();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** All events up to this id are visible to the next statement, unless they were rolled back. */
  async lastComplete(): Promise<number> {
    const [before, known] = [this.#lastId, this.#transactions];
    const found = await run(this.#sql, recordingStatement);
    const transactions = new Map<string, number>();
    for (const { transaction } of found) {
      if (transaction !== null) transactions.set(transaction, known.get(transaction) ?? before);
    }
    this.#lastId = found[0]?.lastId ?? 0;
    this.#transactions = transactions;
    return Math.min(this.#lastId, ...transactions.values());
  }
}

/** The condition of locks in pg_locks: one for each transaction that has drawn an event id and is not committed yet. */
export const isRecordingLock = `
  locktype = 'relation' and relation = 'event_id'::regclass and mode = 'RowExclusiveLock' and granted
  and database = (select oid from pg_database where datname = current_database())`;

// Lateral: the last id is read before the locks.
const recordingStatement = defineStatement<{ lastId: number; transaction: string | null }>({
  name: 'read-recording-transactions',
  text: `
    select event_id.last_value as last_id, recording.transaction
    from event_id
    left join lateral (
      select virtualtransaction as transaction from pg_locks
      where ${isRecordingLock} and event_id.last_value > 0
    ) as recording on true
  `,
  columns: { lastId: 'int8', transaction: 'text' },
});
