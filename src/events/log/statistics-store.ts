import type { Sql } from '../../database/connection.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import type { AttemptSummary } from './attempt.ts';
import { type NullableAttemptSummary, summaryColumns, toAttemptSummary } from './delivery-sources.ts';
import { type Activity, bucketSeconds, maxCounted, minutesKeptDays, type Span, type Tally } from './statistics.ts';

/** Sums minutes and hours of a webhook per bucket. Empty buckets are omitted. */
export async function readStatistics(
  sql: Sql,
  webhookId: number,
  { bucket, start, end }: Span,
): Promise<(Tally & { start: Date })[]> {
  const { rows } = await sql.query<Tally & { start: Date }>(
    `with counted as (
       select date_bin(make_interval(secs => $4), bucket, '1970-01-01Z') as start, delivered, failed, discarded, latency
       from webhook_statistics
       where webhook_id = $1 and width_seconds in (${bucketSeconds.MINUTE}, ${bucketSeconds.HOUR})
         and bucket >= $2 and bucket < $3
     ), bins as (
       select start, array_agg(count order by bin) as latency
       from (
         select start, bin, sum(count)::integer as count
         from counted cross join unnest(latency) with ordinality as bins (count, bin)
         group by start, bin
       ) as summed
       group by start
     )
     select start, sum(delivered) as delivered, sum(failed) as failed, sum(discarded) as discarded, bins.latency
     from counted join bins using (start)
     group by start, bins.latency
     order by start`,
    [webhookId, start, end, bucketSeconds[bucket]],
  );
  return rows;
}

/**
 * Aggregates old minutes into hours. One statement, so it is atomic and can be repeated.
 */
export async function foldStatistics(sql: Sql): Promise<void> {
  await sql.query(
    `with minutes as (
       delete from webhook_statistics
       where width_seconds = ${bucketSeconds.MINUTE}
         and bucket < date_trunc('hour', now() - make_interval(days => ${minutesKeptDays}))
       returning webhook_id, date_trunc('hour', bucket) as hour, delivered, failed, discarded, latency
     ), bins as (
       select webhook_id, hour, array_agg(count order by bin) as latency
       from (
         select webhook_id, hour, bin, sum(count)::integer as count
         from minutes cross join unnest(latency) with ordinality as bins (count, bin)
         group by webhook_id, hour, bin
       ) as summed
       group by webhook_id, hour
     )
     insert into webhook_statistics as known (webhook_id, width_seconds, bucket, delivered, failed, discarded, latency)
     select webhook_id, ${bucketSeconds.HOUR}, hour, sum(delivered), sum(failed), sum(discarded), bins.latency
     from minutes join bins using (webhook_id, hour)
     group by webhook_id, hour, bins.latency
     on conflict (webhook_id, width_seconds, bucket) do update set
       delivered = known.delivered + excluded.delivered,
       failed = known.failed + excluded.failed,
       discarded = known.discarded + excluded.discarded,
       latency = add_bins(known.latency, excluded.latency)`,
  );
}

export async function dropOldStatistics(sql: Sql, days: number): Promise<void> {
  await sql.query('delete from webhook_statistics where bucket < now() - make_interval(days => $1)', [days]);
}

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
