import type { Sql } from '../../database/connection.ts';
import type { PageQuery } from '../../http/pagination.ts';
import { defineJob } from '../../jobs/job.ts';
import type { Replay, ReplayRequest } from './replay.ts';

const select = `
  select id, webhook_id as "webhookId", status, since, until, states, rate_per_second as "ratePerSecond", total, queued,
    ended.delivered, ended.failed, error, date_created as "dateCreated", date_finished as "dateFinished"
  from replays
  cross join lateral (
    select count(*) filter (where verdict = 'DELIVERED') as delivered,
      count(*) filter (where verdict = 'DISCARDED') as failed
    from attempts where replay_id = replays.id and started_at > replays.date_created - interval '1 hour'
  ) as ended`;

export async function findReplay(sql: Sql, webhookId: number, id: number): Promise<Replay | undefined> {
  const { rows } = await sql.query<Replay>(`${select} where id = $2 and webhook_id = $1`, [webhookId, id]);
  return rows[0];
}

/** Newest first. */
export async function listReplays(sql: Sql, webhookId: number, { offset, max, after }: PageQuery): Promise<Replay[]> {
  const { rows } = await sql.query<Replay>(
    `${select} where webhook_id = $1 and ($2::bigint is null or id < $2) order by id desc offset $3 limit $4`,
    [webhookId, after ?? null, offset, max],
  );
  return rows;
}

export async function countReplays(sql: Sql, webhookId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>('select count(*) from replays where webhook_id = $1', [
    webhookId,
  ]);
  return rows[0]?.count ?? 0;
}

export async function findRunningReplayId(sql: Sql, webhookId: number): Promise<number | undefined> {
  const { rows } = await sql.query<{ id: number }>(
    "select id from replays where webhook_id = $1 and status in ('CREATED', 'RUNNING')",
    [webhookId],
  );
  return rows[0]?.id;
}

export async function insertReplay(
  sql: Sql,
  webhookId: number,
  { since, until, states, ratePerSecond }: ReplayRequest,
  total: number,
): Promise<number> {
  const { rows } = await sql.query<{ id: number }>(
    `insert into replays (webhook_id, status, since, until, states, rate_per_second, total)
     values ($1, 'CREATED', $2, $3, $4, $5, $6) returning id`,
    [webhookId, since, until, states, ratePerSecond, total],
  );
  return rows[0]?.id as number;
}

/** Queues the next deliveries of a replay. */
export const replayJob = defineJob<{ replayId: number }>('replay', {
  key: ({ replayId }) => `replay-${replayId}`,
  maxAttempts: 25,
});

export interface RunningReplay extends ReplayRequest {
  id: number;
  webhookId: number;
  afterEventId: number;
  /** Due time of the next delivery to queue. */
  nextDueAt: Date;
  webhookDeleted: boolean;
  /** Queued deliveries without an attempt in this replay. */
  unsent: number;
}

const selectRunning = `
  select replays.id, webhook_id as "webhookId", since, until, states, rate_per_second as "ratePerSecond",
    after_event_id as "afterEventId", greatest(now(), next_due_at) as "nextDueAt",
    deleted_at is not null as "webhookDeleted",
    (select count(*) from delivery_queue where replay_id = replays.id and tries = 0) as unsent
  from replays join webhooks on webhooks.id = webhook_id
  where replays.id = $1 and status in ('CREATED', 'RUNNING')`;

/** Undefined if the replay has finished. */
export async function findRunningReplay(sql: Sql, id: number): Promise<RunningReplay | undefined> {
  const { rows } = await sql.query<RunningReplay>(selectRunning, [id]);
  return rows[0];
}

export async function lockRunningReplay(sql: Sql, id: number): Promise<RunningReplay | undefined> {
  const { rows } = await sql.query<RunningReplay>(`${selectRunning} for update of replays`, [id]);
  return rows[0];
}

export async function advanceReplay(
  sql: Sql,
  id: number,
  { queued, afterEventId, nextDueAt }: { queued: number; afterEventId: number; nextDueAt: Date },
): Promise<void> {
  await sql.query(
    `update replays set status = 'RUNNING', queued = queued + $2, after_event_id = $3, next_due_at = $4 where id = $1`,
    [id, queued, afterEventId, nextDueAt],
  );
}

export async function endReplay(
  sql: Sql,
  id: number,
  status: 'FINISHED' | 'CANCELLED' | 'FAILED',
  error: string | null = null,
): Promise<void> {
  await sql.query(
    `update replays set status = $2, error = $3, date_finished = now()
     where id = $1 and status in ('CREATED', 'RUNNING')`,
    [id, status, error],
  );
}

export async function hasQueuedDeliveries(sql: Sql, id: number): Promise<boolean> {
  const { rowCount } = await sql.query('select from delivery_queue where replay_id = $1 limit 1', [id]);
  return rowCount === 1;
}

/**
 * Deletes queued deliveries that have not been attempted. Rows that are being settled have been sent and are skipped.
 */
export async function deleteUnsent(sql: Sql, id: number): Promise<void> {
  await sql.query(
    `with unsent as (
       select event_id, webhook_id from delivery_queue where replay_id = $1 and tries = 0 for update skip locked
     ), withdrawn as (
       delete from delivery_queue queue using unsent
       where queue.event_id = unsent.event_id and queue.webhook_id = unsent.webhook_id
       returning 1
     )
     update replays set queued = queued - (select count(*) from withdrawn) where id = $1`,
    [id],
  );
}
