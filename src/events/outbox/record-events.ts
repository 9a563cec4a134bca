import type { Transaction } from '../../database/transaction.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import { deliveriesChannel, eventText, type NewEvent } from './record-event.ts';

/**
 * Like `recordEvent` for many events, with one statement per partner and type. Returns the ids in the order of the
 * events.
 */
export async function recordEvents(transaction: Transaction, events: readonly NewEvent[]): Promise<number[]> {
  const texts = events.map(eventText);
  const ids: number[] = [];
  for (const { partnerId, type, positions } of groupsOf(events)) {
    const { rows } = await transaction.query<{ ids: number[]; wanted: boolean }>({
      name: 'record-events',
      text: recordStatement,
      values: [
        partnerId,
        type,
        positions.map((position) => texts[position]?.before),
        positions.map((position) => texts[position]?.after),
      ],
    });
    const recorded = rows[0];
    if (recorded?.ids.length !== positions.length) throw new Error('The database did not record every event.');
    for (const [index, position] of positions.entries()) ids[position] = recorded.ids[index] as number;
    if (recorded.wanted) transaction.notifyAfterCommit(deliveriesChannel);
  }
  return ids;
}

interface Group {
  partnerId: number;
  type: EventTypeName;
  /** Indexes of its events in the list. */
  positions: number[];
}

function groupsOf(events: readonly NewEvent[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const [position, { partner, type }] of events.entries()) {
    const key = `${partner.id} ${type}`;
    const group = groups.get(key) ?? { partnerId: partner.id, type, positions: [] };
    group.positions.push(position);
    groups.set(key, group);
  }
  return groups.values();
}

const recordStatement = `
  with numbered as materialized (
    select nextval('event_id') as id, before, after
    from (
      select before, after from unnest($3::text[], $4::text[]) with ordinality as given (before, after, position)
      order by position
    ) as given
  ), event as (
    insert into events (id, recorded_at, partner_id, type, body)
    select id, now(), $1::bigint, $2::text, before || id || after from numbered
    returning id, recorded_at
  ), wanting as materialized (
    select webhooks.id from webhooks
    where webhooks.partner_id = any ((select lineage from sales_partners where id = $1)::bigint[])
      and webhooks.type = $2
      and webhooks.enabled
      and webhooks.deleted_at is null
      and (webhooks.partner_id = $1 or webhooks.include_children)
  ), fan_out as (
    insert into delivery_queue (event_id, webhook_id, recorded_at, lane, due_at, attempts, tries)
    select event.id, wanting.id, event.recorded_at, 0, event.recorded_at, 0, 0 from event cross join wanting
    returning 1
  )
  select (select array_agg(id order by id) from numbered) as ids, exists (select from fan_out) as wanted
`;
