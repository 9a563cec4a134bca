import type { Sql } from '../../database/connection.ts';
import { bucketSeconds, minutesKeptDays } from './statistics.ts';

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
