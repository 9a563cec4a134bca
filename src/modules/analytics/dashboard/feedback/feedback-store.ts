import type { Sql } from '../../../../database/connection.ts';
import { columnsOf, defineStatement, runUnprepared, type Statement } from '../../../../database/statement.ts';
import type { Group, Span } from '../../../../values/span.ts';
import { cellsOf, type FeedbackSource } from './feedback-source.ts';

/**
 * Roll-ups and pending deltas are read in one statement and therefore consistent. Datapoints are read from a covering
 * index.
 */

export interface FigureQuery {
  source: FeedbackSource;
  span: Span;
  /** All directories if it is absent. */
  directoryTypes?: readonly string[] | undefined;
}

/** Parameters of all statements: $1 partner, $2 owners, $3 locations, $4–6 cells, $7–8 days, $9 directories, $10 group. */
export function valuesOf({ source, span, directoryTypes }: FigureQuery, group?: Group): unknown[] {
  return [
    source.partnerId,
    source.owners,
    source.locationIds,
    ...columnsOf(cellsOf(span, group), 'grain', 'start', 'period'),
    span.from,
    span.to,
    directoryTypes ?? null,
    group?.toLowerCase() ?? null,
  ];
}

/** For `given`: a statement does not use all parameters, and PostgreSQL must know their types. */
export const parameterTypes = `select $1::bigint, $2::bigint[], $3::bigint[], $4::text[], $5::date[], $6::date[], $7::date,
  $8::date, $9::text[], $10::text`;

export const isOfDirectories = '($9::text[] is null or directory_type = any ($9))';
/** For roll-ups with a row for all directories, whose directory is empty. */
export const isTotalOfDirectories = 'directory_type = any (coalesce($9::text[], \'{""}\'))';

/** Selects with the same columns: from roll-ups with their pending deltas, and from datapoints. */
interface SourceParts {
  rolledUp: readonly [figures: string, deltas: string];
  listed: string;
}

type SourceKind = 'rolledUp' | 'listed' | 'both';

const kindOf = ({ owners, locationIds }: FeedbackSource): SourceKind => {
  if (owners.length === 0) return 'listed';
  return locationIds.length === 0 ? 'rolledUp' : 'both';
};

/** One statement per combination of parts. */
export function defineStatementsBySource<Row extends object>(
  name: string,
  columns: Statement<Row>['columns'],
  { rolledUp, listed }: SourceParts,
  text: (union: string) => string,
): Record<SourceKind, Statement<Row>> {
  const define = (suffix: string, parts: readonly string[]) =>
    defineStatement<Row>({ name: `${name}-${suffix}`, text: text(parts.join(' union all ')), columns });
  return {
    rolledUp: define('rolled-up', rolledUp),
    listed: define('listed', [listed]),
    both: define('rolled-up-and-listed', [...rolledUp, listed]),
  };
}

export const runForSource = <Row extends object>(
  sql: Sql,
  statements: Record<SourceKind, Statement<Row>>,
  source: FeedbackSource,
  values: readonly unknown[],
): Promise<Row[]> => runUnprepared(sql, statements[kindOf(source)], values);

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
    and ${isOfDirectories}`;

/** Must match the conditions of the partial index. */
export const listedDatapoints = `
  location_id = any ($3::bigint[]) and status = 'VALID' and location_id is not null and not location_deleted
    and action_date >= $7::date and action_date < $8::date + 1 and ${isOfDirectories}`;

/** First day of the period of a row that is not rolled up; null without a group. */
const periodOfDay = (day: string) => `date_trunc($10::text, ${day})::date`;
/** Formatted after aggregation: formatting is slower than summing. */
const formatted = (day: string) => `to_char(${day}, 'YYYY-MM-DD')`;

const counts: SourceParts = {
  rolledUp: [
    `select period as first_day, type, rating, count, replied, unread, responded, response_seconds
     from ${cellsRolledUp('feedback_figures')} where ${isOfDirectories}`,
    `select ${periodOfDay('day')} as first_day, type, rating, count, replied, unread,
       case when response_seconds is null then 0 else count end as responded,
       coalesce(count * response_seconds::bigint, 0) as response_seconds
     from ${pendingDeltas}`,
  ],
  listed: `
    select ${periodOfDay('day_of(action_date)')} as first_day, type, coalesce(rating, -1) as rating, 1 as count,
      (owner_replied_at is not null)::integer as replied, (not read)::integer as unread,
      (response is not null)::integer as responded, coalesce(response, 0) as response_seconds
    from datapoints
    cross join lateral (select response_seconds(type, action_date, owner_replied_at)) as first_reply (response)
    where ${listedDatapoints}`,
};

interface RatingFigures {
  /** -1: no rating. */
  rating: number;
  count: number;
  replied: number;
  unread: number;
}

export const readByRating = (sql: Sql, query: FigureQuery): Promise<RatingFigures[]> =>
  runForSource(sql, byRating, query.source, valuesOf(query));

const byRating = defineStatementsBySource<RatingFigures>(
  'feedback-by-rating',
  { rating: 'float4', count: 'int8', replied: 'int8', unread: 'int8' },
  counts,
  (counted) => `
    with given as (${parameterTypes})
    select rating, sum(count)::bigint as count, sum(replied)::bigint as replied, sum(unread)::bigint as unread
    from (${counted}) as counted
    group by rating having sum(count) <> 0 order by rating`,
);

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
export const readByPeriod = (sql: Sql, query: FigureQuery, group?: Group): Promise<PeriodFigures[]> =>
  runForSource(sql, feedbackByPeriod, query.source, valuesOf(query, group));

const feedbackByPeriod = defineStatementsBySource<PeriodFigures>(
  'feedback-by-period',
  {
    period: 'text',
    count: 'int8',
    ratings: 'int8',
    ratingSum: 'float8',
    reviews: 'int8',
    responded: 'int8',
    responseSeconds: 'int8',
  },
  counts,
  (counted) => `
    with given as (${parameterTypes})
    select ${formatted('first_day')} as period, sum(count)::bigint as count,
      coalesce(sum(count) filter (where rating >= 0), 0)::bigint as ratings,
      coalesce(sum(count * rating::double precision) filter (where rating >= 0), 0) as rating_sum,
      coalesce(sum(count) filter (where type = 'REVIEW'), 0)::bigint as reviews,
      sum(responded)::bigint as responded, sum(response_seconds)::bigint as response_seconds
    from (${counted}) as counted
    group by first_day order by first_day`,
);

/** Bins around the quantiles. */
export interface ResponseBins {
  /** Null: the whole span. */
  period: string | null;
  total: number;
  median: [number, number];
  p90: [number, number];
}

export const readResponseBins = (sql: Sql, query: FigureQuery, group?: Group): Promise<ResponseBins[]> =>
  runForSource(sql, responseBins, query.source, valuesOf(query, group));

/** Bins of the two values around a quantile at position share × (total - 1), counted from 0. */
const between = (share: string) =>
  `array[min(bin) filter (where up_to > floor(${share}::double precision * (total - 1))),
     min(bin) filter (where up_to > ceil(${share}::double precision * (total - 1)))]`;

const responseBins = defineStatementsBySource<ResponseBins>(
  'feedback-response-bins',
  { period: 'text', total: 'int8', median: 'int2[]', p90: 'int2[]' },
  {
    rolledUp: [
      `select period as first_day, bin, count from ${cellsRolledUp('feedback_response_figures')}
       where ${isTotalOfDirectories}`,
      `select ${periodOfDay('day')} as first_day, response_bin(response_seconds) as bin, count
       from ${pendingDeltas} and response_seconds is not null`,
    ],
    listed: `
      select ${periodOfDay('day_of(action_date)')} as first_day, response_bin(response) as bin, 1 as count
      from datapoints
      cross join lateral (select response_seconds(type, action_date, owner_replied_at)) as first_reply (response)
      where ${listedDatapoints} and response is not null`,
  },
  (bins) => `
    with given as (${parameterTypes}), binned as (
      select first_day, bin, sum(count)::integer as count from (${bins}) as bins group by first_day, bin
    ), several (first_day, bin, count) as (
      select * from binned where $10::text is not null
      union all
      select null::date, bin, sum(count)::integer from binned group by bin
    ), ranked as (
      select first_day, bin, sum(count) over (partition by first_day order by bin) as up_to,
        sum(count) over (partition by first_day) as total
      from several where count > 0
    )
    select ${formatted('first_day')} as period, total, ${between('0.5')} as median, ${between('0.9')} as p90
    from ranked group by first_day, total order by first_day nulls first`,
);

/** Ids of the newest unread datapoints. */
export async function newestUnread(sql: Sql, query: FigureQuery, limit: number): Promise<number[]> {
  const { owners, locationIds } = query.source;
  if (owners.length === 0 && locationIds.length === 0) return [];
  const statement = owners.includes(0) ? newestUnreadOfPartner : newestUnreadOf[kindOf(query.source)];
  const found = await runUnprepared(sql, statement, [...valuesOf(query), limit]);
  return found.map(({ id }) => id);
}

const unreadInSpan = `action_date >= $7::date and action_date < $8::date + 1
  and ${isOfDirectories}
  and status = 'VALID' and not read and location_id is not null and not location_deleted`;
const newest = 'order by action_date desc, id desc limit $11';

const unreadOfPartner = `
  (select id, action_date from datapoints where partner_id = $1 and ${unreadInSpan} ${newest})`;
const unreadOfBusinesses = `
  (select id, action_date from datapoints
   where partner_id = $1 and ${unreadInSpan} and business_id = any ($2::bigint[]) ${newest})`;
const unreadOfLocations = `
  (select found.* from unnest($3::bigint[]) as location (id) cross join lateral (
     select id, action_date from datapoints where location_id = location.id and ${unreadInSpan} ${newest}
   ) as found ${newest})`;

const defineNewestUnread = (name: string, ...scans: string[]) =>
  defineStatement<{ id: number }>({
    name,
    text: `with given as (${parameterTypes}) select id from (${scans.join(' union all ')}) as found ${newest}`,
    columns: { id: 'int8' },
  });

const newestUnreadOfPartner = defineNewestUnread('newest-unread-of-partner', unreadOfPartner);
const newestUnreadOf: Record<SourceKind, Statement<{ id: number }>> = {
  rolledUp: defineNewestUnread('newest-unread-of-businesses', unreadOfBusinesses),
  listed: defineNewestUnread('newest-unread-of-locations', unreadOfLocations),
  both: defineNewestUnread('newest-unread-of-businesses-and-locations', unreadOfBusinesses, unreadOfLocations),
};
