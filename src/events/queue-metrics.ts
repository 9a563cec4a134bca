import { Gauge, type Registry } from 'prom-client';
import type { Sql } from '../database/connection.ts';
import { defineStatement, run, type Statement } from '../database/statement.ts';
import { lanes } from './delivery/delivery-queue.ts';
import { awaitedEvent } from './delivery/ordered-queue.ts';

// Limits the cost of a scrape when millions of deliveries are queued.
const maxCounted = 100_000;

/** Queue metrics, read from the database at each scrape. */
export function registerQueueMetrics(registry: Registry, sql: Sql): void {
  const registers = [registry];
  const depth = new Gauge({
    name: 'waypost_queue_depth',
    help: `Queued deliveries by lane (counted up to ${maxCounted})`,
    labelNames: ['lane'],
    registers,
    async collect() {
      const rows = await readOrEmpty(sql, depthStatement);
      for (const row of rows) depth.set({ lane: row.lane }, row.depth);
    },
  });
  const oldest = new Gauge({
    name: 'waypost_queue_oldest_due_seconds',
    help: 'Age of the oldest due delivery whose breaker is not open and that waits for no other event',
    registers,
    async collect() {
      const [row] = await readOrEmpty(sql, oldestStatement);
      if (row) oldest.set(row.age);
    },
  });
  const backlog = new Gauge({
    name: 'waypost_queue_oldest_seconds',
    help: 'Age of the oldest queued delivery, also of those that wait for a retry, a paused or a disabled webhook',
    registers,
    async collect() {
      const [row] = await readOrEmpty(sql, backlogStatement);
      if (row) backlog.set(row.age);
    },
  });
  const breakers = new Gauge({
    name: 'waypost_breakers',
    help: 'Webhooks by breaker state',
    labelNames: ['state'],
    registers,
    async collect() {
      const rows = await readOrEmpty(sql, breakerStatement);
      for (const row of rows) breakers.set({ state: row.state }, row.count);
    },
  });
}

/** Empty during a database outage: the gauges keep their last values and the scrape succeeds. */
const readOrEmpty = <Row extends object>(sql: Sql, statement: Statement<Row>): Promise<Row[]> =>
  run(sql, statement).catch(() => []);

const depthStatement = defineStatement<{ lane: string; depth: number }>({
  name: 'count-queued-deliveries',
  text: `
    select names.lane, (
      select count(*)::integer from (
        select from delivery_queue where delivery_queue.lane = names.number limit ${maxCounted}) as counted
    ) as depth
    from (values ${Object.entries(lanes)
      .map(([name, number]) => `(${number}, '${name}')`)
      .join()}) as names (number, lane)
  `,
  columns: { lane: 'text', depth: 'int4' },
});

const headColumns = 'lane, webhook_id, due_at, event_id, order_key';

// Loose index scan: reads only the first row of each lane and webhook.
const oldestStatement = defineStatement<{ age: number }>({
  name: 'find-oldest-due-delivery',
  text: `
    with recursive heads as (
      (select ${headColumns} from delivery_queue order by lane, webhook_id, due_at limit 1)
      union all
      select next.* from heads cross join lateral (
        select ${headColumns} from delivery_queue
        where (lane, webhook_id) > (heads.lane, heads.webhook_id) order by lane, webhook_id, due_at limit 1
      ) as next
    )
    select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as age
    from heads
    join webhooks on webhooks.id = heads.webhook_id and webhooks.enabled and webhooks.deleted_at is null
    join webhook_health health on health.webhook_id = heads.webhook_id
      and (health.open_until is null or health.open_until <= now())
    where due_at <= now() and ${awaitedEvent({ webhookId: 'heads.webhook_id', orderKey: 'order_key', eventId: 'heads.event_id' })} is null
  `,
  columns: { age: 'float8' },
});

// Ids are issued in the order of recording.
const backlogStatement = defineStatement<{ age: number }>({
  name: 'find-oldest-queued-delivery',
  text: `
    select coalesce((
      select extract(epoch from now() - recorded_at) from delivery_queue order by event_id limit 1
    ), 0)::float8 as age
  `,
  columns: { age: 'float8' },
});

const breakerStatement = defineStatement<{ state: string; count: number }>({
  name: 'count-breakers',
  text: `
    select names.state, (
      select count(*)::integer from webhook_health health join webhooks on webhooks.id = health.webhook_id
      where webhooks.deleted_at is null and names.state = case
        when health.open_until > now() then 'open' when health.trips > 0 then 'probing' else 'closed' end
    ) as count
    from (values ('closed'), ('probing'), ('open')) as names (state)
  `,
  columns: { state: 'text', count: 'int4' },
});
