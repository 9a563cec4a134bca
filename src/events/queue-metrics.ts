import { Gauge, type Registry } from 'prom-client';
import type { Sql } from '../database/connection.ts';
import { defineStatement, run, type Statement } from '../database/statement.ts';
import { lanes, queueHeads } from './delivery/delivery-queue.ts';
import { awaitedEvent } from './delivery/ordered-queue.ts';

// Limits the cost of a scrape when millions of deliveries are queued.
const maxCounted = 100_000;

/** Queue metrics, read from the database at each scrape. */
export function registerQueueMetrics(registry: Registry, sql: Sql): void {
  /** The columns of the statement are the value and its labels. */
  const register = <Row extends { value: number }>(name: string, help: string, statement: Statement<Row>) => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: Object.keys(statement.columns).filter((column) => column !== 'value'),
      registers: [registry],
      async collect() {
        // During a database outage the gauges keep their last values and the scrape succeeds.
        const rows = await run(sql, statement).catch(() => []);
        for (const { value, ...labels } of rows) gauge.set(labels as Record<string, string>, value);
      },
    });
  };
  register('waypost_queue_depth', `Queued deliveries by lane (counted up to ${maxCounted})`, depthStatement);
  register(
    'waypost_queue_oldest_due_seconds',
    'Age of the oldest due delivery whose breaker is not open and that waits for no other event',
    oldestStatement,
  );
  register(
    'waypost_queue_oldest_seconds',
    'Age of the oldest queued delivery, also of those that wait for a retry, a paused or a disabled webhook',
    backlogStatement,
  );
  register('waypost_breakers', 'Webhooks by breaker state', breakerStatement);
}

const depthStatement = defineStatement<{ lane: string; value: number }>({
  name: 'count-queued-deliveries',
  text: `
    select names.lane, (
      select count(*)::integer from (
        select from delivery_queue where delivery_queue.lane = names.number limit ${maxCounted}) as counted
    ) as value
    from (values ${Object.entries(lanes)
      .map(([name, number]) => `(${number}, '${name}')`)
      .join()}) as names (number, lane)
  `,
  columns: { lane: 'text', value: 'int4' },
});

const oldestStatement = defineStatement<{ value: number }>({
  name: 'find-oldest-due-delivery',
  text: `
    with recursive ${queueHeads('lane, webhook_id, due_at, event_id, order_key')}
    select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as value
    from heads
    join webhooks on webhooks.id = heads.webhook_id and webhooks.enabled and webhooks.deleted_at is null
    join webhook_health health on health.webhook_id = heads.webhook_id
      and (health.open_until is null or health.open_until <= now())
    where due_at <= now() and ${awaitedEvent({ webhookId: 'heads.webhook_id', orderKey: 'order_key', eventId: 'heads.event_id' })} is null
  `,
  columns: { value: 'float8' },
});

// Ids are issued in the order of recording.
const backlogStatement = defineStatement<{ value: number }>({
  name: 'find-oldest-queued-delivery',
  text: `
    select coalesce((
      select extract(epoch from now() - recorded_at) from delivery_queue order by event_id limit 1
    ), 0)::float8 as value
  `,
  columns: { value: 'float8' },
});

const breakerStatement = defineStatement<{ state: string; value: number }>({
  name: 'count-breakers',
  text: `
    select names.state, (
      select count(*)::integer from webhook_health health join webhooks on webhooks.id = health.webhook_id
      where webhooks.deleted_at is null and names.state = case
        when health.open_until > now() then 'open' when health.trips > 0 then 'probing' else 'closed' end
    ) as value
    from (values ('closed'), ('probing'), ('open')) as names (state)
  `,
  columns: { state: 'text', value: 'int4' },
});
