import type { Sql } from '../../database/connection.ts';
import type { DailyInsight, KeywordInsight } from '../directories/connector.ts';
import type { InsightProgress } from '../listings/listing-progress.ts';

/** The same day twice is the same row; its latest count stays. */
export async function upsertInsights(
  sql: Sql,
  { listingId, locationId, partnerId, directoryType }: InsightProgress,
  counts: readonly DailyInsight[],
): Promise<void> {
  await sql.query(
    `insert into insights (listing_id, location_id, partner_id, directory_type, metric, day, count)
     select $1, $2, $3, $4, metric, day, max(count)
     from unnest($5::text[], $6::date[], $7::integer[]) as given (metric, day, count)
     group by metric, day
     order by metric, day
     on conflict (listing_id, metric, day) do update set count = excluded.count
       where insights.count <> excluded.count`,
    [
      listingId,
      locationId,
      partnerId,
      directoryType,
      counts.map(({ metric }) => metric),
      counts.map(({ day }) => day),
      counts.map(({ count }) => count),
    ],
  );
}

/** The first day since a date, and up to the last one known, of which nothing is known. */
export async function firstGap(sql: Sql, listingId: number, since: string, until: string): Promise<string | null> {
  const { rows } = await sql.query<{ day: string | null }>(
    `select to_char(min(day), 'YYYY-MM-DD') as day
     from generate_series(greatest($2::date, (select min(day) from insights where listing_id = $1)), $3::date,
       interval '1 day') as day
     where not exists (select from insights where listing_id = $1 and insights.day = day.day::date)`,
    [listingId, since, until],
  );
  return rows[0]?.day ?? null;
}

export async function knownMonths(sql: Sql, listingId: number): Promise<string[]> {
  const { rows } = await sql.query<{ month: string }>(
    `select distinct to_char(month, 'YYYY-MM') as month from search_keywords where listing_id = $1`,
    [listingId],
  );
  return rows.map(({ month }) => month);
}

/** What the directory has for a month takes the place of what was known. */
export async function replaceKeywords(
  sql: Sql,
  { listingId, locationId, partnerId }: InsightProgress,
  month: string,
  keywords: readonly KeywordInsight[],
): Promise<void> {
  const words = keywords.map(({ keyword }) => keyword);
  await sql.query(
    `delete from search_keywords where listing_id = $1 and month = ($2 || '-01')::date and keyword <> all ($3::text[])`,
    [listingId, month, words],
  );
  await sql.query(
    `insert into search_keywords (listing_id, location_id, partner_id, month, keyword, impressions)
     select $1, $2, $3, ($4 || '-01')::date, keyword, max(impressions)
     from unnest($5::text[], $6::integer[]) as given (keyword, impressions)
     group by keyword
     order by keyword
     on conflict (listing_id, month, keyword) do update set impressions = excluded.impressions
       where search_keywords.impressions <> excluded.impressions`,
    [listingId, locationId, partnerId, month, words, keywords.map(({ impressions }) => impressions)],
  );
}

export interface MetricDay {
  metric: string;
  day: string;
  count: number;
}

export async function readInsights(
  sql: Sql,
  listingId: number,
  { from, to, metrics }: { from: string; to: string; metrics: readonly string[] },
): Promise<MetricDay[]> {
  const { rows } = await sql.query<MetricDay>(
    `select metric, to_char(day, 'YYYY-MM-DD') as day, count from insights
     where listing_id = $1 and metric = any ($2::text[]) and day between $3 and $4 order by metric, day`,
    [listingId, metrics, from, to],
  );
  return rows;
}
