import type { Sql } from '../../database/connection.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import { type Activity, maxCounted } from './activity.ts';
import type { AttemptSummary } from './attempt.ts';
import { type NullableAttemptSummary, summaryColumns, toAttemptSummary } from './last-attempt.ts';
import { bucketSeconds } from './statistics.ts';

/** Activity of the webhooks since a moment, in the given order. Three statements for any number of webhooks. */
export async function readActivity(sql: Sql, webhookIds: readonly number[], since: Date): Promise<Activity[]> {
  const [hours, waiting, last] = await Promise.all([
    readHours(sql, webhookIds, since),
    countWaiting(sql, webhookIds),
    findLast(sql, webhookIds),
  ]);
  return webhookIds.map((webhookId) => ({
    webhookId,
    hours: hours.get(webhookId) ?? [],
    waiting: waiting.get(webhookId) ?? 0,
    last: last.get(webhookId) ?? null,
  }));
}

type Hour = Activity['hours'][number];

async function readHours(sql: Sql, webhookIds: readonly number[], since: Date): Promise<Map<number, Hour[]>> {
  const { rows } = await sql.query<Hour & { webhookId: number }>(
    `select webhook_id as "webhookId", date_trunc('hour', bucket, 'UTC') as start, sum(delivered) as delivered,
       sum(failed) as failed, sum(discarded) as discarded
     from webhook_statistics
     where webhook_id = any ($1) and width_seconds in (${bucketSeconds.MINUTE}, ${bucketSeconds.HOUR}) and bucket >= $2
     group by 1, 2`,
    [webhookIds, since],
  );
  return Map.groupBy(rows, ({ webhookId }) => webhookId);
}

// All lanes are listed so that the index on (lane, webhook_id, due_at) is used.
async function countWaiting(sql: Sql, webhookIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql.query<{ webhookId: number; waiting: number }>(
    `select webhook_id as "webhookId", waiting
     from unnest($1::bigint[]) as webhook (webhook_id)
     cross join lateral (
       select count(*) as waiting from (
         select from delivery_queue queue
         where lane in (${Object.values(lanes).join()}) and queue.webhook_id = webhook.webhook_id limit $2
       ) as counted
     ) as counted`,
    [webhookIds, maxCounted + 1],
  );
  return new Map(rows.map(({ webhookId, waiting }) => [webhookId, waiting]));
}

async function findLast(
  sql: Sql,
  webhookIds: readonly number[],
): Promise<Map<number, AttemptSummary & { eventId: number }>> {
  const { rows } = await sql.query<NullableAttemptSummary & { webhookId: number; eventId: number }>(
    `select webhook_id as "webhookId", last.*
     from unnest($1::bigint[]) as webhook (webhook_id)
     cross join lateral (
       select event_id as "eventId", ${summaryColumns} from attempts
       where attempts.webhook_id = webhook.webhook_id and verdict <> 'SUPERSEDED'
       order by event_id desc, number desc limit 1
     ) as last`,
    [webhookIds],
  );
  return new Map(
    rows.map((row) => [row.webhookId, { ...(toAttemptSummary(row) as AttemptSummary), eventId: row.eventId }] as const),
  );
}
