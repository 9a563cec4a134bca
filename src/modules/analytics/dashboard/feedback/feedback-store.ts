import type { Sql } from '../../../../database/connection.ts';
import type { Group, Span } from '../../../../values/span.ts';
import { cellsOf, type FeedbackSource } from './feedback-source.ts';

/**
 * Roll-ups and pending deltas are read in one statement and therefore consistent. Datapoints are read from a covering
 * index.
 */

export interface FigureQuery {
  source: FeedbackSource;
  span: Span;
  directoryType?: string | undefined;
}

/** Parameters of all statements: $1 partner, $2 owners, $3 locations, $4–6 cells, $7–8 days, $9 directory. */
export function valuesOf({ source, span, directoryType }: FigureQuery, group?: Group): unknown[] {
  const cells = cellsOf(span, group);
  return [
    source.partnerId,
    source.owners,
    source.locationIds,
    cells.map(({ grain }) => grain),
    cells.map(({ start }) => start),
    cells.map(({ period }) => period),
    span.from,
    span.to,
    directoryType ?? null,
  ];
}

/** Each part references all parameters, so that PostgreSQL can infer their types. */
export function partsOf(
  { owners, locationIds }: FeedbackSource,
  parts: { rolledUp: string[]; listed: string },
): string {
  const needed = [
    ...(owners.length > 0 ? parts.rolledUp : []),
    ...(locationIds.length > 0 || owners.length === 0 ? [parts.listed] : []),
  ];
  return needed.join(' union all ');
}

export const parameterTypes = `select $1::bigint, $2::bigint[], $3::bigint[], $4::text[], $5::date[], $6::date[], $7::date,
  $8::date, $9::text`;

export const requestedCells = `
  unnest($2::bigint[]) as owner (id)
  cross join unnest($4::text[], $5::date[], $6::date[]) as cell (grain, start, period)`;

export const cellsRolledUp = (table: string) => `
  ${requestedCells}
  join ${table} figures on figures.partner_id = $1 and figures.business_id = owner.id
    and figures.grain = cell.grain and figures.start = cell.start`;

export const pendingDeltas = `
  feedback_deltas where partner_id = $1 and day between $7 and $8
    and ((for_partner and 0 = any ($2::bigint[])) or business_id = any ($2::bigint[]))
    and ($9::text is null or directory_type = $9)`;

/** Must match the conditions of the partial index. */
export const listedDatapoints = `
  location_id = any ($3::bigint[]) and status = 'VALID' and location_id is not null and not location_deleted
    and action_date >= $7::date and action_date < $8::date + 1 and ($9::text is null or directory_type = $9)`;

/** First day of the period of a row that is not rolled up. */
const periodOfDay = (day: string, group: Group | undefined) =>
  group ? `date_trunc('${group.toLowerCase()}', ${day})::date` : 'null::date';
/** Formatted after aggregation: formatting is slower than summing. */
const formatted = (day: string) => `to_char(${day}, 'YYYY-MM-DD')`;

const counts = (source: FeedbackSource, group?: Group) =>
  partsOf(source, {
    rolledUp: [
      `select period as first_day, type, rating, count, replied, unread, responded, response_seconds
       from ${cellsRolledUp('feedback_figures')} where $9::text is null or directory_type = $9`,
      `select ${periodOfDay('day', group)}, type, rating, count, replied, unread,
         case when response_seconds is null then 0 else count end,
         coalesce(count * response_seconds::bigint, 0)
       from ${pendingDeltas}`,
    ],
    listed: `
      select ${periodOfDay('day_of(action_date)', group)} as first_day, type, coalesce(rating, -1) as rating, 1 as count,
        (owner_replied_at is not null)::integer as replied, (not read)::integer as unread,
        (response is not null)::integer as responded, coalesce(response, 0) as response_seconds
      from datapoints
      cross join lateral (select response_seconds(type, action_date, owner_replied_at)) as answer (response)
      where ${listedDatapoints}`,
  });

interface RatingFigures {
  /** -1: no rating. */
  rating: number;
  count: number;
  replied: number;
  unread: number;
}

export async function readByRating(sql: Sql, query: FigureQuery): Promise<RatingFigures[]> {
  const { rows } = await sql.query<RatingFigures>(
    `with given as (${parameterTypes})
     select rating, sum(count)::bigint as count, sum(replied)::bigint as replied, sum(unread)::bigint as unread
     from (${counts(query.source)}) as counted
     group by rating having sum(count) <> 0 order by rating`,
    valuesOf(query),
  );
  return rows;
}

export interface PeriodFigures {
  period: string | null;
  count: number;
  ratings: number;
  ratingSum: number;
  reviews: number;
  responded: number;
  responseSeconds: number;
}

/** Without a group, one row with period null. */
export async function readByPeriod(sql: Sql, query: FigureQuery, group?: Group): Promise<PeriodFigures[]> {
  const { rows } = await sql.query<PeriodFigures>(
    `with given as (${parameterTypes})
     select ${formatted('first_day')} as period, sum(count)::bigint as count,
       coalesce(sum(count) filter (where rating >= 0), 0)::bigint as ratings,
       coalesce(sum(count * rating::double precision) filter (where rating >= 0), 0) as "ratingSum",
       coalesce(sum(count) filter (where type = 'REVIEW'), 0)::bigint as reviews,
       sum(responded)::bigint as responded, sum(response_seconds)::bigint as "responseSeconds"
     from (${counts(query.source, group)}) as counted
     group by first_day order by first_day`,
    valuesOf(query, group),
  );
  return rows;
}

/** Bins around the quantiles. */
export interface ResponseBins {
  /** Null: the whole span. */
  period: string | null;
  total: number;
  median: [number, number];
  p90: [number, number];
}

export async function readResponseBins(sql: Sql, query: FigureQuery, group?: Group): Promise<ResponseBins[]> {
  const bins = partsOf(query.source, {
    rolledUp: [
      `select period as first_day, bin, count from ${cellsRolledUp('feedback_response_figures')}
       where figures.directory_type = coalesce($9::text, '')`,
      `select ${periodOfDay('day', group)}, response_bin(response_seconds), count
       from ${pendingDeltas} and response_seconds is not null`,
    ],
    listed: `
      select ${periodOfDay('day_of(action_date)', group)} as first_day, response_bin(response) as bin, 1 as count
      from datapoints
      cross join lateral (select response_seconds(type, action_date, owner_replied_at)) as answer (response)
      where ${listedDatapoints} and response is not null`,
  });
  const { rows } = await sql.query<ResponseBins>(
    `with given as (${parameterTypes}), binned as (
       select first_day, bin, sum(count)::integer as count from (${bins}) as bins group by first_day, bin
     ), several (first_day, bin, count) as (
       ${group ? 'select * from binned union all' : ''}
       select null::date, bin, sum(count)::integer from binned group by bin
     ), ranked as (
       select first_day, bin, sum(count) over (partition by first_day order by bin) as up_to,
         sum(count) over (partition by first_day) as total
       from several where count > 0
     )
     select ${formatted('first_day')} as period, total, ${between('0.5')} as median, ${between('0.9')} as p90
     from ranked group by first_day, total order by first_day nulls first`,
    valuesOf(query, group),
  );
  return rows;
}

/** Bins of the two values around a quantile at position share × (total - 1), counted from 0. */
const between = (share: string) =>
  `array[min(bin) filter (where up_to > floor(${share}::double precision * (total - 1))),
     min(bin) filter (where up_to > ceil(${share}::double precision * (total - 1)))]`;

/** Ids of the newest unread datapoints. */
export async function newestUnread(sql: Sql, query: FigureQuery, limit: number): Promise<number[]> {
  const { owners, locationIds } = query.source;
  const inSpan = `action_date >= $7::date and action_date < $8::date + 1 and ($9::text is null or directory_type = $9)
    and status = 'VALID' and not read and location_id is not null and not location_deleted`;
  const newest = 'order by action_date desc, id desc limit $10';
  const ofOwners = `
    (select id, action_date from datapoints
     where partner_id = $1 and ${inSpan} ${owners.includes(0) ? '' : 'and business_id = any ($2::bigint[])'} ${newest})`;
  const ofLocations = `
    (select found.* from unnest($3::bigint[]) as location (id) cross join lateral (
       select id, action_date from datapoints where location_id = location.id and ${inSpan} ${newest}
     ) as found ${newest})`;
  const scans = [...(owners.length > 0 ? [ofOwners] : []), ...(locationIds.length > 0 ? [ofLocations] : [])];
  if (scans.length === 0) return [];
  const { rows } = await sql.query<{ id: number }>(
    `with given as (${parameterTypes}) select id from (${scans.join(' union all ')}) as found ${newest}`,
    [...valuesOf(query), limit],
  );
  return rows.map(({ id }) => id);
}
