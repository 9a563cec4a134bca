import type { Sql } from '../../../../database/connection.ts';
import type { Group, Span } from '../../../../values/span.ts';
import { cellsOf, type FeedbackSource } from './feedback-source.ts';

/**
 * Figures from where a source says: from roll-ups together with the deltas that are not in them yet, in one statement
 * and so of one moment; and from datapoints, by an index that has all that is asked for.
 */

export interface Asked {
  source: FeedbackSource;
  span: Span;
  directoryType?: string | undefined;
}

/** What every statement below is given: $1 partner, $2 owners, $3 locations, $4–6 cells, $7–8 days, $9 directory. */
export function valuesOf({ source, span, directoryType }: Asked, group?: Group): unknown[] {
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

/** The parts of a union that a source needs; all of them name every parameter, so that the statement knows its types. */
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

export const givenTypes = `select $1::bigint, $2::bigint[], $3::bigint[], $4::text[], $5::date[], $6::date[], $7::date,
  $8::date, $9::text`;

export const cellsAsked = `
  unnest($2::bigint[]) as owner (id)
  cross join unnest($4::text[], $5::date[], $6::date[]) as cell (grain, start, period)`;

export const cellsRolledUp = (table: string) => `
  ${cellsAsked}
  join ${table} figures on figures.partner_id = $1 and figures.business_id = owner.id
    and figures.grain = cell.grain and figures.start = cell.start`;

export const deltasWaiting = `
  feedback_deltas where partner_id = $1 and day between $7 and $8
    and ((for_partner and 0 = any ($2::bigint[])) or business_id = any ($2::bigint[]))
    and ($9::text is null or directory_type = $9)`;

/** Conditions as the index has them. */
export const listedDatapoints = `
  location_id = any ($3::bigint[]) and status = 'VALID' and location_id is not null and not location_deleted
    and action_date >= $7::date and action_date < $8::date + 1 and ($9::text is null or directory_type = $9)`;

/** Of what is not rolled up: the first day of its period. */
const periodOfDay = (day: string, group: Group | undefined) =>
  group ? `date_trunc('${group.toLowerCase()}', ${day})::date` : 'null::date';
/** Only once everything is added up: that takes longer than adding. */
const written = (day: string) => `to_char(${day}, 'YYYY-MM-DD')`;

const counts = (source: FeedbackSource, group?: Group) =>
  partsOf(source, {
    rolledUp: [
      `select period as first_day, type, rating, count, replied, unread, responded, response_seconds
       from ${cellsRolledUp('feedback_figures')} where $9::text is null or directory_type = $9`,
      `select ${periodOfDay('day', group)}, type, rating, count, replied, unread,
         case when response_seconds is null then 0 else count end,
         coalesce(count * response_seconds::bigint, 0)
       from ${deltasWaiting}`,
    ],
    listed: `
      select ${periodOfDay('day_of(action_date)', group)} as first_day, type, coalesce(rating, -1) as rating, 1 as count,
        (owner_replied_at is not null)::integer as replied, (not read)::integer as unread,
        (response is not null)::integer as responded, coalesce(response, 0) as response_seconds
      from datapoints
      cross join lateral (select response_seconds(type, action_date, owner_replied_at)) as answer (response)
      where ${listedDatapoints}`,
  });

export interface RatingFigures {
  /** -1 stands for none. */
  rating: number;
  count: number;
  replied: number;
  unread: number;
}

export async function readByRating(sql: Sql, asked: Asked): Promise<RatingFigures[]> {
  const { rows } = await sql.query<RatingFigures>(
    `with given as (${givenTypes})
     select rating, sum(count)::bigint as count, sum(replied)::bigint as replied, sum(unread)::bigint as unread
     from (${counts(asked.source)}) as counted
     group by rating having sum(count) <> 0 order by rating`,
    valuesOf(asked),
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

/** By period; without a group everything is one that has no name. */
export async function readByPeriod(sql: Sql, asked: Asked, group?: Group): Promise<PeriodFigures[]> {
  const { rows } = await sql.query<PeriodFigures>(
    `with given as (${givenTypes})
     select ${written('first_day')} as period, sum(count)::bigint as count,
       coalesce(sum(count) filter (where rating >= 0), 0)::bigint as ratings,
       coalesce(sum(count * rating::double precision) filter (where rating >= 0), 0) as "ratingSum",
       coalesce(sum(count) filter (where type = 'REVIEW'), 0)::bigint as reviews,
       sum(responded)::bigint as responded, sum(response_seconds)::bigint as "responseSeconds"
     from (${counts(asked.source, group)}) as counted
     group by first_day order by first_day`,
    valuesOf(asked, group),
  );
  return rows;
}

/** The bins in which the answers lie that a quantile is between. */
export interface ResponseBins {
  /** Null for the whole span. */
  period: string | null;
  total: number;
  median: [number, number];
  p90: [number, number];
}

export async function readResponseBins(sql: Sql, asked: Asked, group?: Group): Promise<ResponseBins[]> {
  const bins = partsOf(asked.source, {
    rolledUp: [
      `select period as first_day, bin, count from ${cellsRolledUp('feedback_response_figures')}
       where figures.directory_type = coalesce($9::text, '')`,
      `select ${periodOfDay('day', group)}, response_bin(response_seconds), count
       from ${deltasWaiting} and response_seconds is not null`,
    ],
    listed: `
      select ${periodOfDay('day_of(action_date)', group)} as first_day, response_bin(response) as bin, 1 as count
      from datapoints
      cross join lateral (select response_seconds(type, action_date, owner_replied_at)) as answer (response)
      where ${listedDatapoints} and response is not null`,
  });
  const { rows } = await sql.query<ResponseBins>(
    `with given as (${givenTypes}), binned as (
       select first_day, bin, sum(count)::integer as count from (${bins}) as bins group by first_day, bin
     ), several (first_day, bin, count) as (
       ${group ? 'select * from binned union all' : ''}
       select null::date, bin, sum(count)::integer from binned group by bin
     ), ranked as (
       select first_day, bin, sum(count) over (partition by first_day order by bin) as up_to,
         sum(count) over (partition by first_day) as total
       from several where count > 0
     )
     select ${written('first_day')} as period, total, ${between('0.5')} as median, ${between('0.9')} as p90
     from ranked group by first_day, total order by first_day nulls first`,
    valuesOf(asked, group),
  );
  return rows;
}

/** The bins of the two answers around a quantile: counted from 0, it is at share × (total - 1). */
const between = (share: string) =>
  `array[min(bin) filter (where up_to > floor(${share}::double precision * (total - 1))),
     min(bin) filter (where up_to > ceil(${share}::double precision * (total - 1)))]`;

/** The newest that nobody has read, by their ids. */
export async function newestUnread(sql: Sql, asked: Asked, limit: number): Promise<number[]> {
  const { owners, locationIds } = asked.source;
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
  const roads = [...(owners.length > 0 ? [ofOwners] : []), ...(locationIds.length > 0 ? [ofLocations] : [])];
  if (roads.length === 0) return [];
  const { rows } = await sql.query<{ id: number }>(
    `with given as (${givenTypes}) select id from (${roads.join(' union all ')}) as found ${newest}`,
    [...valuesOf(asked), limit],
  );
  return rows.map(({ id }) => id);
}
