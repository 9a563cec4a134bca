import type { Transaction } from '../../database/transaction.ts';
import { checkEventFields, type EventFields, type EventTypeName } from '../catalogue/catalogue.ts';
import { canonicalJsonAround } from '../signing/canonical-json.ts';

/** Notified after the commit of a transaction with deliveries. */
export const deliveriesChannel = 'waypost_deliveries';

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
export async function recordEvent<T extends EventTypeName>(
  transaction: Transaction,
  event: NewEvent<T>,
): Promise<number> {
  const { before, after } = eventText(event);
  const { rows } = await transaction.query<{ id: number; wanted: boolean }>({
    name: 'record-event',
    text: recordStatement,
    values: [event.partner.id, event.type, before, after],
  });
  const recorded = rows[0];
  if (!recorded) throw new Error('The database recorded no event.');
  if (recorded.wanted) transaction.notifyAfterCommit(deliveriesChannel);
  return recorded.id;
}

/** The canonical text before and after the id, which the database generates. */
export function eventText(event: NewEvent): { before: string; after: string } {
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

/** `2026-11-15T01:02:03.456+00:00` */
export function eventTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

// One round trip: the server generates the id and inserts it into the text.
const recordStatement = `
  with event as (
    insert into events (id, recorded_at, partner_id, type, body)
    select id, now(), $1::bigint, $2::text, $3::text || id || $4::text
    from (select nextval('event_id') as id) as next
    returning id, recorded_at
  ), fan_out as (
    insert into delivery_queue (event_id, webhook_id, recorded_at, lane, due_at, attempts, tries)
    select event.id, webhooks.id, event.recorded_at, 0, event.recorded_at, 0, 0
    from event
    join webhooks on webhooks.partner_id = any ((select lineage from sales_partners where id = $1)::bigint[])
      and webhooks.type = $2
      and webhooks.enabled
      and webhooks.deleted_at is null
      and (webhooks.partner_id = $1 or webhooks.include_children)
    returning 1
  )
  select event.id, exists (select from fan_out) as wanted from event
`;
