import type { Sql } from '../../database/connection.ts';
import { bucketSeconds, type Span, type Tally } from './statistics.ts';

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
