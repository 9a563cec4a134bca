import type { Sql } from '../../../database/connection.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { lastDayOf, periodOf } from '../../../values/span.ts';
import type { DailyInsight, KeywordInsight } from '../../directories/index.ts';
import type { InsightProgress } from '../../listings/index.ts';
import { lockBusinessOf } from '../../locations/index.ts';

/** The listing of insights. */
export type InsightListing = Pick<InsightProgress, 'listingId' | 'locationId' | 'partnerId' | 'directoryType'>;

/**
 * Merges days into stored months; the latest count wins. Changes of figures are recorded as deltas: minus the old
 * month, plus the new one.
 */
export async function upsertInsights(
  transaction: Transaction,
  { listingId, locationId, partnerId, directoryType }: InsightListing,
  counts: readonly DailyInsight[],
): Promise<void> {
  if (counts.length === 0) return;
  const businessId = await lockBusinessOf(transaction, locationId);
  await run(transaction, upsertMonths, [
    listingId,
    locationId,
    partnerId,
    directoryType,
    businessId,
    JSON.stringify(monthsOfCounts(counts)),
  ]);
}

const upsertMonths = defineStatement({
  name: 'upsert-insights',
  text: `with merged as (
           select given.metric, given.month, known.counts as before, array(
             select coalesce(new, old) from unnest(given.counts, known.counts) with ordinality as day (new, old, number)
             order by number
           ) as counts
           from json_to_recordset($6::json) as given (metric text, month date, counts integer[])
           left join insights known
             on known.listing_id = $1 and known.metric = given.metric and known.month = given.month
         ), changed as (
           select * from merged where counts is distinct from before
         ), written as (
           insert into insights (listing_id, location_id, partner_id, directory_type, metric, month, counts)
           select $1, $2, $3, $4, metric, month, counts from changed order by metric, month
           on conflict (listing_id, metric, month) do update set counts = excluded.counts
         )
         insert into insight_deltas (partner_id, business_id, directory_type, metric, month, sign, counts, total)
         select $3, $5, $4, metric, month, sign, side.counts, sum_of_days(side.counts)
         from changed cross join lateral (values (-1, before), (1, counts)) as side (sign, counts)
         where side.counts is not null and $5::bigint is not null`,
});

interface MonthOfCounts {
  metric: string;
  /** First day of the month. */
  month: string;
  /** One element per day; null if unknown. */
  counts: (number | null)[];
}

/** Groups counts by month. Of several counts of a day the greatest is used. */
export function monthsOfCounts(counts: readonly { metric: string; day: string; count: number }[]): MonthOfCounts[] {
  const months = new Map<string, MonthOfCounts>();
  for (const { metric, day, count } of counts) {
    const month = periodOf(day, 'MONTH');
    const key = `${metric} ${month}`;
    const known = months.get(key) ?? { metric, month, counts: unknownDays(month) };
    months.set(key, known);
    const index = dayOfMonth(day) - 1;
    known.counts[index] = Math.max(known.counts[index] ?? 0, count);
  }
  return [...months.values()];
}

const dayOfMonth = (day: string) => Number(day.slice(8));

const unknownDays = (month: string): null[] => new Array(dayOfMonth(lastDayOf(month, 'MONTH'))).fill(null);

/** The first day between `since` and `until` without data. */
export async function firstGap(sql: Sql, listingId: number, since: string, until: string): Promise<string | null> {
  const [gap] = await run(sql, firstUnknownDay, [listingId, since, until]);
  return gap?.day ?? null;
}

const firstUnknownDay = defineStatement<{ day: string | null }>({
  name: 'find-insight-gap',
  text: `with known as (
           select distinct month + (number - 1)::integer as day
           from insights cross join unnest(counts) with ordinality as day (count, number)
           where listing_id = $1 and count is not null
         )
         select to_char(min(day), 'YYYY-MM-DD') as day
         from generate_series(greatest($2::date, (select min(day) from known)), $3::date, interval '1 day') as day
         where day::date not in (select day from known)`,
  columns: { day: 'text' },
});

/** Removes all insights and keywords of a listing, with their part of the figures. */
export async function removeInsights(
  transaction: Transaction,
  { listingId, locationId, partnerId, directoryType }: InsightListing,
): Promise<void> {
  const businessId = await lockBusinessOf(transaction, locationId);
  await run(transaction, removeCounts, [listingId, partnerId, businessId, directoryType]);
  await run(transaction, removeKeywords, [listingId, partnerId, businessId]);
}

const removeCounts = defineStatement({
  name: 'remove-insights',
  text: `with gone as (
           delete from insights where listing_id = $1 returning metric, month, counts
         )
         insert into insight_deltas (partner_id, business_id, directory_type, metric, month, sign, counts, total)
         select $2, $3, $4, metric, month, -1, counts, sum_of_days(counts) from gone where $3::bigint is not null`,
});

const removeKeywords = defineStatement({
  name: 'remove-keywords',
  text: `with gone as (
           delete from search_keywords where listing_id = $1 returning month, keyword, impressions
         )
         insert into keyword_deltas (partner_id, business_id, month, keyword, impressions, locations)
         select $2, $3, month, keyword, -impressions, -1 from gone where $3::bigint is not null`,
});

/** Replaces the keywords of `months` (YYYY-MM), which also removes those of a month without keywords. */
export async function replaceKeywords(
  transaction: Transaction,
  { listingId, locationId, partnerId }: Omit<InsightListing, 'directoryType'>,
  keywords: readonly KeywordInsight[],
  months: readonly string[] = keywords.map(({ month }) => month),
): Promise<void> {
  if (months.length === 0) return;
  const businessId = await lockBusinessOf(transaction, locationId);
  await run(transaction, replaceMonths, [
    listingId,
    locationId,
    partnerId,
    businessId,
    keywords.map(({ month }) => `${month}-01`),
    keywords.map(({ keyword }) => keyword),
    keywords.map(({ impressions }) => impressions),
    months.map((month) => `${month}-01`),
  ]);
}

const replaceMonths = defineStatement({
  name: 'replace-keywords',
  text: `with given as (
           select month, keyword, max(impressions) as impressions
           from unnest($5::date[], $6::text[], $7::integer[]) as given (month, keyword, impressions)
           group by month, keyword
         ), known as (
           select month, keyword, impressions from search_keywords where listing_id = $1 and month = any ($8::date[])
         ), changed as (
           select month, keyword, known.impressions as before, given.impressions
           from known full join given using (month, keyword)
           where known.impressions is distinct from given.impressions
         ), gone as (
           delete from search_keywords where listing_id = $1 and month = any ($8::date[])
             and (month, keyword) in (select month, keyword from changed where impressions is null)
         ), written as (
           insert into search_keywords (listing_id, location_id, partner_id, month, keyword, impressions)
           select $1, $2, $3, month, keyword, impressions from changed where impressions is not null
           order by month, keyword
           on conflict (listing_id, month, keyword) do update set impressions = excluded.impressions
         )
         insert into keyword_deltas (partner_id, business_id, month, keyword, impressions, locations)
         select $3, $4, month, keyword, coalesce(impressions, 0) - coalesce(before, 0),
           (impressions is not null)::integer - (before is not null)::integer
         from changed where $4::bigint is not null`,
});

export const readInsights = (
  sql: Sql,
  listingId: number,
  { from, to, metrics }: { from: string; to: string; metrics: readonly string[] },
): Promise<DailyInsight[]> => run(sql, dailyInsights, [listingId, metrics, from, to]);

const dailyInsights = defineStatement<DailyInsight>({
  name: 'read-insights',
  text: `select metric, to_char(month + (number - 1)::integer, 'YYYY-MM-DD') as day, count
         from insights cross join unnest(counts) with ordinality as day (count, number)
         where listing_id = $1 and metric = any ($2::text[])
           and month between date_trunc('month', $3::date) and $4::date
           and month + (number - 1)::integer between $3::date and $4::date and count is not null
         order by metric, month, number`,
  columns: { metric: 'text', day: 'text', count: 'int4' },
});
