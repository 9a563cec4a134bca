import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { activeTrace, inSpan } from '../../telemetry/tracing.ts';
import { checkEventFields, type EventFields, type EventTypeName } from '../catalogue/catalogue.ts';
import { canonicalJsonAround } from '../signing/canonical-json.ts';

/** Notified after the commit of a transaction with deliveries. */
export const deliveriesChannel = 'waypost_deliveries';

/** Notified when a delivery of an ordered webhook has ended: the next one of its location can be sent. */
export const orderedChannel = 'waypost_ordered_deliveries';

export interface NewEvent<T extends EventTypeName = EventTypeName> {
  partner: { id: number; identifier: string };
  type: T;
  fields: EventFields<T>;
  time?: Date;
}

/** A bug in the caller, not invalid input: the transaction of the change fails too. */
export class InvalidEventError extends Error {
  constructor(type: string, problems: { message: string }[]) {
    super(`A ${type} event cannot be recorded: ${problems.map(({ message }) => message).join('; ')}.`);
  }
}

/**
 * Writes an event and a delivery for each subscribed webhook in the transaction of the change that caused it
 * (transactional outbox). Returns the event id.
 */
export function recordEvent<T extends EventTypeName>(transaction: Transaction, event: NewEvent<T>): Promise<number> {
  return inSpan(`record ${event.type}`, { kind: 'producer' }, async () => {
    const { before, after } = eventText(event);
    const values = [event.partner.id, event.type, before, after, orderKey(event.fields), activeTrace()];
    const [recorded] = await run(transaction, recordStatement, values);
    if (!recorded) throw new Error('The database recorded no event.');
    if (recorded.wanted) transaction.notifyAfterCommit(deliveriesChannel);
    return recorded.id;
  });
}

/** The canonical text before and after the id, which the database generates. */
function eventText(event: NewEvent): { before: string; after: string } {
  const problems = checkEventFields(event.type, event.fields);
  if (problems.length > 0) throw new InvalidEventError(event.type, problems);
  return canonicalJsonAround(
    {
      ...event.fields,
      salesPartnerIdentifier: event.partner.identifier,
      time: eventTime(event.time ?? new Date()),
      type: event.type,
    },
    'id',
  );
}

/**
 * Ordered webhooks receive events with the same key in order: those of a location, else of a business, whose ids are
 * negated. All events without a location and a business share the key 0.
 */
export function orderKey(fields: object): number {
  const { location, business }: { location?: number; business?: number } = fields;
  return location ?? (business === undefined ? 0 : -business);
}

/** `2026-11-15T01:02:03.456+00:00` */
export function eventTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

/** The condition of webhooks that receive an event of partner $1 and type $2. */
const isSubscribed = `
  webhooks.partner_id = any ((select lineage from sales_partners where id = $1)::bigint[])
  and webhooks.type = $2
  and webhooks.enabled
  and webhooks.deleted_at is null
  and (webhooks.partner_id = $1 or webhooks.include_children)`;

/** Ordered webhooks have their own lane, and the key of `OrderedQueue`. */
const laneAndOrderKey = (webhook: string, key: string) => `
  case when ${webhook}.ordered then 4 else 0 end as lane, case when ${webhook}.ordered then ${key} end as order_key`;

// One round trip: the server generates the id and inserts it into the text.
const recordStatement = defineStatement<{ id: number; wanted: boolean }>({
  name: 'record-event',
  text: `
    with event as (
      insert into events (id, recorded_at, partner_id, type, body, traceparent)
      select id, now(), $1::bigint, $2::text, $3::text || id || $4::text, $6::text
      from (select nextval('event_id') as id) as next
      returning id, recorded_at
    ), fan_out as (
      insert into delivery_queue (event_id, webhook_id, recorded_at, due_at, attempts, tries, lane, order_key)
      select event.id, webhooks.id, event.recorded_at, event.recorded_at, 0, 0,
        ${laneAndOrderKey('webhooks', '$5::bigint')}
      from event
      join webhooks on ${isSubscribed}
        and (webhooks.filter_path is null or filter_matches(webhooks.filter_path, $3::text || event.id || $4::text))
      returning 1
    )
    select event.id, exists (select from fan_out) as wanted from event
  `,
  columns: { id: 'int8', wanted: 'bool' },
});

/**
 * Like `recordEvent` for many events, with one statement per partner and type: only within these, ids grow in the order
 * of the events. Returns one id per event.
 */
export async function recordEvents(transaction: Transaction, events: readonly NewEvent[]): Promise<number[]> {
  const [first, ...others] = events;
  if (first && others.length === 0) return [await recordEvent(transaction, first)];
  return inSpan('record events', { kind: 'producer' }, () => recordMany(transaction, events));
}

async function recordMany(transaction: Transaction, events: readonly NewEvent[]): Promise<number[]> {
  const rows = events.map((event, position) => ({ event, position, ...eventText(event) }));
  const ids: number[] = [];
  for (const group of Map.groupBy(rows, ({ event }) => `${event.partner.id} ${event.type}`).values()) {
    const { partner, type } = (group[0] as (typeof rows)[number]).event;
    const [recorded] = await run(transaction, recordManyStatement, [
      partner.id,
      type,
      group.map(({ before }) => before),
      group.map(({ after }) => after),
      group.map(({ event }) => orderKey(event.fields)),
      activeTrace(),
    ]);
    if (recorded?.ids.length !== group.length) throw new Error('The database did not record every event.');
    for (const [index, { position }] of group.entries()) ids[position] = recorded.ids[index] as number;
    if (recorded.wanted) transaction.notifyAfterCommit(deliveriesChannel);
  }
  return ids;
}

const recordManyStatement = defineStatement<{ ids: number[]; wanted: boolean }>({
  name: 'record-events',
  text: `
    with numbered as materialized (
      select nextval('event_id') as id, before, after, order_key
      from (
        select before, after, order_key
        from unnest($3::text[], $4::text[], $5::bigint[]) with ordinality as given (before, after, order_key, position)
        order by position
      ) as given
    ), event as (
      insert into events (id, recorded_at, partner_id, type, body, traceparent)
      select id, now(), $1::bigint, $2::text, before || id || after, $6::text from numbered
    ), wanting as materialized (
      select webhooks.id, webhooks.filter_path, webhooks.ordered from webhooks where ${isSubscribed}
    ), fan_out as (
      insert into delivery_queue (event_id, webhook_id, recorded_at, due_at, attempts, tries, lane, order_key)
      select numbered.id, wanting.id, now(), now(), 0, 0,
        ${laneAndOrderKey('wanting', 'numbered.order_key')}
      from numbered
      join wanting on wanting.filter_path is null
        or filter_matches(wanting.filter_path, numbered.before || numbered.id || numbered.after)
      returning 1
    )
    select (select array_agg(id order by id) from numbered) as ids, exists (select from fan_out) as wanted
  `,
  columns: { ids: 'int8[]', wanted: 'bool' },
});
