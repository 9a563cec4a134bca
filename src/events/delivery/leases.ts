import type { Sql } from '../../database/connection.ts';
import { defineStatement, run } from '../../database/statement.ts';
import { type Lane, lanes } from './delivery-queue.ts';
import type { Health } from './health.ts';
import { type HealthRow, healthColumns, healthOf, selectedHealth } from './health-store.ts';

export interface Lease {
  webhookId: number;
  partnerId: number;
  token: number;
  health: Health;
  maxPerSecond: number | null;
  ordered: boolean;
}

// First key of each worker's advisory lock; the second is the worker id.
const workerLock = 1_463_898_193;

// Restricted to this database: workers of other databases on the same server use the same ids.
const liveWorkers = `(
  select objid from pg_locks
  where locktype = 'advisory' and classid = ${workerLock} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())
) as living`;

/**
 * Takes the worker's advisory lock on this connection. The server drops the lock when the process dies, so other workers
 * do not have to wait until its leases expire.
 */
export async function registerWorker(sql: Sql): Promise<number> {
  const [worker] = await run(sql, registerStatement);
  return worker?.id ?? Number.NaN;
}

const registerStatement = defineStatement<{ id: number }>({
  name: 'register-worker',
  text: `with worker as (select nextval('worker_id')::integer as id)
         select id from worker, pg_advisory_lock(${workerLock}, id)`,
  columns: { id: 'int4' },
});

export interface LeaseRequest {
  lane: Lane;
  limit: number;
  includeFailing: boolean;
  /** Partners whose webhooks are left for other workers. */
  exceptPartners: readonly number[];
}

/**
 * Leases webhooks with due deliveries in a lane and no valid lease. Returns at most a fair share among the live workers;
 * call again for the rest.
 */
export async function leaseWaitingWebhooks(
  sql: Sql,
  request: LeaseRequest & { workerId: number; leaseSeconds: number },
): Promise<Lease[]> {
  const { lane, workerId, leaseSeconds, limit, includeFailing, exceptPartners } = request;
  const values = [lane, workerId, leaseSeconds, limit, includeFailing, exceptPartners];
  const leased = await run(sql, leaseStatement, values);
  // It may have been ordered when these deliveries were recorded.
  return leased.map((row) => ({ ...row, ordered: row.ordered || lane === lanes.ordered, health: healthOf(row) }));
}

// Loose index scan over the enabled webhooks with due deliveries. Each step reads at most 16 index entries: before
// PostgreSQL 18, a condition on due_at reads all later deliveries. Disabled webhooks are skipped up to the next enabled one.
const leaseStatement = defineStatement<HealthRow & Pick<Lease, 'token' | 'partnerId' | 'maxPerSecond' | 'ordered'>>({
  name: 'lease-waiting-webhooks',
  text: `
    with recursive visited (next_id, webhook_id, partner_id) as (
      select 0::bigint, null::bigint, null::bigint
      union all
      select coalesce(webhook.id + is_due::integer, waiting.last_id + 1), case when is_due then webhook.id end,
        webhook.partner_id
      from visited
      cross join lateral (
        select min(webhook_id) filter (where due_at <= now()) as due_id, max(webhook_id) as last_id
        from (
          select webhook_id, due_at from delivery_queue
          where lane = $1 and webhook_id >= visited.next_id order by webhook_id, due_at limit 16
        ) as next
        having count(*) > 0
      ) as waiting
      left join lateral (
        select id, partner_id, id = waiting.due_id as is_due from webhooks
        where id >= waiting.due_id and enabled and deleted_at is null order by id limit 1
      ) as webhook on true
      where waiting.due_id is null or webhook.id is not null
    ), unserved as materialized (
      select visited.webhook_id as id
      from visited
      left join webhook_leases lease on lease.webhook_id = visited.webhook_id
      join webhook_health health on health.webhook_id = visited.webhook_id
      where (lease.lease_until is null or lease.lease_until < now())
        and ($1 = ${lanes.requested} or health.open_until is null or health.open_until <= now())
        and ($5::boolean or health.consecutive_failures = 0)
        and visited.partner_id <> all ($6::bigint[])
    ), share as materialized (
      select id from unserved
      order by random()
      limit case when exists (select from unserved) then
        least($4, (select ceil(count(*) / (select greatest(1, count(*)) from ${liveWorkers})::numeric)::integer from unserved)) else 0 end
    ), leased as (
      insert into webhook_leases as lease (webhook_id, worker_id, token, lease_until)
      select id, $2, nextval('lease_token'), now() + make_interval(secs => $3)
      from (select id from share order by id) as share
      on conflict (webhook_id) do update
        set worker_id = excluded.worker_id, token = excluded.token, lease_until = excluded.lease_until
        where lease.lease_until < now()
      returning webhook_id, token
    )
    select leased.token, partner_id, max_per_second, ordered, ${selectedHealth}
    from leased join webhook_health using (webhook_id) join webhooks on webhooks.id = leased.webhook_id
  `,
  columns: { token: 'int8', partnerId: 'int8', maxPerSecond: 'int4', ordered: 'bool', ...healthColumns },
});

/** Whether any webhook or delivery is ordered, and which of the webhooks have deliveries in the lane of ordered webhooks. */
export async function findOrdered(
  sql: Sql,
  webhookIds: readonly number[],
): Promise<{ exists: boolean; waiting: number[] }> {
  const [found] = await run(sql, findOrderedStatement, [webhookIds]);
  return found ?? { exists: false, waiting: [] };
}

const findOrderedStatement = defineStatement<{ exists: boolean; waiting: number[] }>({
  name: 'find-ordered-webhooks',
  text: `
    select exists (select from webhooks where ordered and enabled and deleted_at is null)
        or exists (select from delivery_queue where lane = ${lanes.ordered}) as exists,
      array(
        select id from unnest($1::bigint[]) as id
        where exists (select from delivery_queue where lane = ${lanes.ordered} and webhook_id = id)
      ) as waiting
  `,
  columns: { exists: 'bool', waiting: 'int8[]' },
});

/** Returns the tokens that were renewed. The other leases now belong to another worker. */
export async function renewLeases(sql: Sql, tokens: readonly number[], leaseSeconds: number): Promise<Set<number>> {
  const renewed = await run(sql, renewStatement, [tokens, leaseSeconds]);
  return new Set(renewed.map(({ token }) => token));
}

const renewStatement = defineStatement<{ token: number }>({
  name: 'renew-leases',
  text: `update webhook_leases set lease_until = now() + make_interval(secs => $2)
         from (select webhook_id from webhook_leases where token = any ($1) order by webhook_id for update) as mine
         where webhook_leases.webhook_id = mine.webhook_id
         returning token`,
  columns: { token: 'int8' },
});

/** Returns those of the tokens whose lease still exists. */
export async function heldLeases(sql: Sql, tokens: readonly number[]): Promise<Set<number>> {
  const held = await run(sql, heldStatement, [tokens]);
  return new Set(held.map(({ token }) => token));
}

const heldStatement = defineStatement<{ token: number }>({
  name: 'held-leases',
  text: 'select token from webhook_leases where token = any ($1)',
  columns: { token: 'int8' },
});

export async function releaseLeases(sql: Sql, tokens: readonly number[]): Promise<void> {
  await run(sql, releaseStatement, [tokens]);
}

const releaseStatement = defineStatement({
  name: 'release-leases',
  text: 'delete from webhook_leases where token = any ($1)',
});

/** Instead of the id of a worker, which is at least 1. */
const heldByMove = 0;

/**
 * Leases webhooks of a partner that is being moved to another cell, until `releaseHeldWebhooks`. Returns the number of
 * seconds until no worker sends with an earlier lease.
 */
export async function holdWebhooks(sql: Sql, webhookIds: readonly number[]): Promise<number> {
  const [former] = await run(sql, holdStatement, [webhookIds]);
  return former?.seconds ?? 0;
}

const holdStatement = defineStatement<{ seconds: number | null }>({
  name: 'hold-webhooks',
  text: `with held as (
           insert into webhook_leases (webhook_id, worker_id, token, lease_until)
           select id, ${heldByMove}, nextval('lease_token'), 'infinity' from unnest($1::bigint[]) as id order by id
           on conflict (webhook_id) do update
             set worker_id = excluded.worker_id, token = excluded.token, lease_until = excluded.lease_until
         )
         select extract(epoch from max(lease_until) - now())::float8 as seconds from webhook_leases
         where webhook_id = any ($1) and worker_id <> ${heldByMove} and lease_until > now()`,
  columns: { seconds: 'float8' },
});

export async function webhooksOf(sql: Sql, partnerIds: readonly number[]): Promise<number[]> {
  const webhooks = await run(sql, webhooksOfStatement, [partnerIds]);
  return webhooks.map(({ id }) => id);
}

const webhooksOfStatement = defineStatement<{ id: number }>({
  name: 'webhooks-of-partners',
  text: 'select id from webhooks where partner_id = any ($1::bigint[]) order by id',
  columns: { id: 'int8' },
});

export async function releaseHeldWebhooks(sql: Sql, webhookIds: readonly number[]): Promise<void> {
  await run(sql, releaseHeldStatement, [webhookIds]);
}

const releaseHeldStatement = defineStatement({
  name: 'release-held-webhooks',
  text: `delete from webhook_leases where worker_id = ${heldByMove} and webhook_id = any ($1)`,
});

/** Releases the leases of workers that lost their connection. */
export async function releaseOrphanedLeases(sql: Sql): Promise<number> {
  return (await run(sql, releaseOrphanedStatement)).length;
}

const releaseOrphanedStatement = defineStatement<{ token: number }>({
  name: 'release-orphaned-leases',
  text: `delete from webhook_leases
         where worker_id <> ${heldByMove} and worker_id <> all (array(select objid::bigint from ${liveWorkers}))
         returning token`,
  columns: { token: 'int8' },
});
