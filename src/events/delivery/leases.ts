import type { Sql } from '../../database/connection.ts';
import type { Health } from './breaker.ts';
import { type HealthRow, healthColumns, healthOf } from './health-store.ts';
import { type Lane, lanes } from './lanes.ts';

export interface Lease {
  webhookId: number;
  token: number;
  standing: Health;
}

// The first key of every worker's advisory lock; the second is the worker's id.
const aliveLock = 1_463_898_193;

// Locks of workers of other databases on the same server count for nothing here.
const living = `(
  select objid from pg_locks
  where locktype = 'advisory' and classid = ${aliveLock} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())
) as living`;

/**
 * A worker is alive as long as the connection that this was asked on: the server drops the lock the moment the
 * process is gone, and others need not wait for its leases to run out.
 */
export async function signOn(sql: Sql): Promise<number> {
  const { rows } = await sql.query<{ id: number }>(
    `with worker as (select nextval('worker_id')::integer as id)
     select id, pg_advisory_lock(${aliveLock}, id) from worker`,
  );
  return rows[0]?.id ?? Number.NaN;
}

/**
 * Leases webhooks that have deliveries due in a lane and that nobody serves. Finding them costs one index descent
 * for each webhook with waiting rows, however many rows those are. A worker takes its share of them, and leaves the
 * rest to the others that are alive; who comes again soon finds what they have left.
 */
export async function leaseWaitingWebhooks(
  sql: Sql,
  request: { lane: Lane; workerId: number; leaseSeconds: number; limit: number; failingToo: boolean },
): Promise<Lease[]> {
  const { rows } = await sql.query<HealthRow & { token: number }>({
    name: 'lease-waiting-webhooks',
    text: leaseStatement,
    values: [request.lane, request.workerId, request.leaseSeconds, request.limit, request.failingToo],
  });
  return rows.map((row) => ({ webhookId: row.webhook_id, token: row.token, standing: healthOf(row) }));
}

const leaseStatement = `
  with recursive waiting as (
    (select webhook_id, due_at from delivery_queue where lane = $1 order by webhook_id, due_at limit 1)
    union all
    select next.webhook_id, next.due_at from waiting cross join lateral (
      select webhook_id, due_at from delivery_queue
      where lane = $1 and webhook_id > waiting.webhook_id order by webhook_id, due_at limit 1
    ) as next
  ), unserved as materialized (
    select webhooks.id
    from waiting
    left join webhook_leases lease on lease.webhook_id = waiting.webhook_id
    join webhooks on webhooks.id = waiting.webhook_id
    join webhook_health health on health.webhook_id = waiting.webhook_id
    where waiting.due_at <= now()
      and (lease.lease_until is null or lease.lease_until < now())
      and webhooks.enabled
      and webhooks.deleted_at is null
      and ($1 = ${lanes.requested} or health.open_until is null or health.open_until <= now())
      and ($5::boolean or health.consecutive_failures = 0)
  ), share as materialized (
    select id from unserved
    order by random()
    limit case when exists (select from unserved) then
      least($4, (select ceil(count(*) / (select greatest(1, count(*)) from ${living})::numeric)::integer from unserved)) else 0 end
  ), leased as (
    insert into webhook_leases as lease (webhook_id, worker_id, token, lease_until)
    select id, $2, nextval('lease_token'), now() + make_interval(secs => $3)
    from (select id from share order by id) as share
    on conflict (webhook_id) do update
      set worker_id = excluded.worker_id, token = excluded.token, lease_until = excluded.lease_until
      where lease.lease_until < now()
    returning webhook_id, token
  )
  select leased.token, ${healthColumns} from leased join webhook_health using (webhook_id)
`;

/** Answers the tokens that are still this worker's; the others have passed to somebody else. */
export async function renewLeases(sql: Sql, tokens: readonly number[], leaseSeconds: number): Promise<Set<number>> {
  const { rows } = await sql.query<{ token: number }>({
    name: 'renew-leases',
    text: `update webhook_leases set lease_until = now() + make_interval(secs => $2)
           from (select webhook_id from webhook_leases where token = any ($1) order by webhook_id for update) as mine
           where webhook_leases.webhook_id = mine.webhook_id
           returning token`,
    values: [tokens, leaseSeconds],
  });
  return new Set(rows.map(({ token }) => token));
}

export async function endLeases(sql: Sql, tokens: readonly number[]): Promise<void> {
  await sql.query({
    name: 'end-leases',
    text: 'delete from webhook_leases where token = any ($1)',
    values: [tokens],
  });
}

/** Ends the leases of workers whose connection is gone. */
export async function endLeasesOfTheDead(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query({
    name: 'end-leases-of-the-dead',
    text: `delete from webhook_leases where worker_id <> all (array(
             select objid::bigint from ${living}))`,
  });
  return rowCount ?? 0;
}
