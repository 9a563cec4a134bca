import type { Sql } from '../../database/connection.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import { lanes } from '../delivery/delivery-queue.ts';
import { addToStatistics } from '../delivery/settle.ts';
import type { AttemptSummary } from './attempt.ts';
import { selectSummary } from './delivery-sources.ts';
import { type Activity, bucketSeconds, maxCounted, minutesKeptDays, type Span, type Tally } from './statistics.ts';

/** The histograms of a table, added by these columns. */
const sumOfLatency = (table: string, columns: string) => `
  select ${columns}, array_agg(count order by bin) as latency
  from (
    select ${columns}, bin, sum(count)::integer as count
    from ${table} cross join unnest(latency) with ordinality as bins (count, bin)
    group by ${columns}, bin
  ) as summed
  group by ${columns}`;

/** Sums minutes and hours of a webhook per bucket. Empty buckets are omitted. */
export const readStatistics = (
  sql: Sql,
  webhookId: number,
  { bucket, start, end }: Span,
): Promise<(Tally & { start: Date })[]> => run(sql, readStatement, [webhookId, start, end, bucketSeconds[bucket]]);

const readStatement = defineStatement<Tally & { start: Date }>({
  name: 'read-webhook-statistics',
  text: `
    with counted as (
      select date_bin(make_interval(secs => $4), bucket, '1970-01-01Z') as start, delivered, failed, discarded, latency
      from webhook_statistics
      where webhook_id = $1 and width_seconds in (${bucketSeconds.MINUTE}, ${bucketSeconds.HOUR})
        and bucket >= $2 and bucket < $3
    ), bins as (${sumOfLatency('counted', 'start')})
    select start, sum(delivered) as delivered, sum(failed) as failed, sum(discarded) as discarded, bins.latency
    from counted join bins using (start)
    group by start, bins.latency
    order by start
  `,
  columns: { start: 'timestamptz', delivered: 'int8', failed: 'int8', discarded: 'int8', latency: 'int4[]' },
});

/**
 * Aggregates old minutes into hours. One statement, so it is atomic and can be repeated.
 */
export async function foldStatistics(sql: Sql): Promise<void> {
  await run(sql, foldStatement);
}

const foldStatement = defineStatement({
  name: 'fold-webhook-statistics',
  text: `
    with minutes as (
      delete from webhook_statistics
      where width_seconds = ${bucketSeconds.MINUTE}
        and bucket < date_trunc('hour', now() - make_interval(days => ${minutesKeptDays}))
      returning webhook_id, date_trunc('hour', bucket) as hour, delivered, failed, discarded, latency
    ), bins as (${sumOfLatency('minutes', 'webhook_id, hour')})
    insert into webhook_statistics as known (webhook_id, width_seconds, bucket, delivered, failed, discarded, latency)
    select webhook_id, ${bucketSeconds.HOUR}, hour, sum(delivered), sum(failed), sum(discarded), bins.latency
    from minutes join bins using (webhook_id, hour)
    group by webhook_id, hour, bins.latency
    ${addToStatistics}
  `,
});

export async function dropOldStatistics(sql: Sql, days: number): Promise<void> {
  await db(sql)
    .deleteFrom('webhookStatistics')
    .where('bucket', '<', raw<Date>`now() - make_interval(days => ${days})`)
    .execute();
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
  const rows = await db(sql)
    .selectFrom('webhookStatistics')
    .select(({ fn, ref }) => [
      'webhookId',
      raw<Date>`date_trunc('hour', ${ref('bucket')}, 'UTC')`.as('start'),
      fn.sum<number>('delivered').as('delivered'),
      fn.sum<number>('failed').as('failed'),
      fn.sum<number>('discarded').as('discarded'),
    ])
    .where('webhookId', '=', anyOf(webhookIds, 'bigint'))
    .where('widthSeconds', 'in', [bucketSeconds.MINUTE, bucketSeconds.HOUR])
    .where('bucket', '>=', since)
    .groupBy(['webhookId', 'start'])
    .execute();
  return Map.groupBy(rows, ({ webhookId }) => webhookId);
}

// All lanes are listed so that the index on (lane, webhook_id, due_at) is used.
async function countWaiting(sql: Sql, webhookIds: readonly number[]): Promise<Map<number, number>> {
  const counts = await run(sql, countWaitingStatement, [webhookIds, maxCounted + 1]);
  return new Map(counts.map(({ webhookId, waiting }) => [webhookId, waiting]));
}

const countWaitingStatement = defineStatement<{ webhookId: number; waiting: number }>({
  name: 'count-waiting-deliveries',
  text: `
    select webhook_id, waiting
    from unnest($1::bigint[]) as webhook (webhook_id)
    cross join lateral (
      select count(*) as waiting from (
        select from delivery_queue queue
        where lane in (${Object.values(lanes).join()}) and queue.webhook_id = webhook.webhook_id limit $2
      ) as counted
    ) as counted
  `,
  columns: { webhookId: 'int8', waiting: 'int8' },
});

async function findLast(
  sql: Sql,
  webhookIds: readonly number[],
): Promise<Map<number, AttemptSummary & { eventId: number }>> {
  const attempts = await db(sql)
    .selectFrom(raw<{ webhookId: number }>`unnest(${webhookIds}::bigint[])`.as<'webhook'>(raw`webhook (webhook_id)`))
    .crossJoinLateral(({ ref }) =>
      db(sql)
        .selectFrom('attempts')
        .select('attempts.eventId')
        .where('attempts.webhookId', '=', ref('webhook.webhookId'))
        .where('attempts.verdict', '<>', 'SUPERSEDED')
        .orderBy('attempts.eventId', 'desc')
        .orderBy('attempts.number', 'desc')
        .limit(raw.lit(1))
        .$call(selectSummary)
        .as('last'),
    )
    .select('webhook.webhookId')
    .selectAll('last')
    .execute();
  return new Map(attempts.map(({ webhookId, ...attempt }) => [webhookId, attempt]));
}
