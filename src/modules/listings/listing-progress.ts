import type { Sql } from '../../database/connection.ts';
import type { DataPointSource, Directory } from '../directories/index.ts';

/** A listing or brand page whose datapoints are read, with the progress. */
export interface DatapointFeed {
  readonly kind: 'listing' | 'page';
  readonly id: number;
  readonly partner: { readonly id: number; readonly identifier: string };
  readonly businessId: number;
  /** Null for a brand page. */
  readonly locationId: number | null;
  readonly directoryType: string;
  readonly externalId: string;
  readonly progress: CheckProgress;
}

/** How far the datapoints have been read. */
interface CheckProgress {
  readonly cursor: string | null;
  /** Version for optimistic locking: changes with every recorded check. */
  readonly stamp: string | null;
  /** Since when most known datapoints have been missing. */
  readonly doubtedSince: Date | null;
}

export interface NextProgress {
  readonly cursor: string | null;
  readonly doubtedSince: Date | null;
  /** Delay until the next check. */
  readonly dueSeconds: number;
}

export type DatapointFeedRow = Omit<DatapointFeed, 'kind' | 'partner' | 'progress'> &
  CheckProgress & { partnerId: number; partnerIdentifier: string };

export const toDatapointFeed = (
  kind: DatapointFeed['kind'],
  { partnerId, partnerIdentifier, cursor, stamp, doubtedSince, ...feed }: DatapointFeedRow,
): DatapointFeed => ({
  kind,
  ...feed,
  partner: { id: partnerId, identifier: partnerIdentifier },
  progress: { cursor, stamp, doubtedSince },
});

export const toDirectorySource = ({ kind, externalId }: DatapointFeed): DataPointSource =>
  kind === 'listing' ? { listing: externalId } : { brandPage: externalId };

/** Undefined for listings that are not linked, and for duplicates. */
export async function findListingFeed(sql: Sql, listingId: number): Promise<DatapointFeed | undefined> {
  const { rows } = await sql.query<DatapointFeedRow>(
    `select listing.id, partner.id as "partnerId", partner.identifier as "partnerIdentifier",
       location.business_id as "businessId", location.id as "locationId", listing.directory_type as "directoryType",
       listing.external_id as "externalId",
       case when listing.datapoint_cursor_of = listing.external_id then listing.datapoint_cursor end as cursor,
       listing.datapoints_checked::text as stamp, listing.datapoints_doubted as "doubtedSince"
     from listings listing
     join locations location on location.id = listing.location_id
     join sales_partners partner on partner.id = listing.partner_id
     where listing.id = $1 and listing.external_id is not null and listing.duplicate_of is null
       and location.status not in ('INACTIVE', 'DELETED')`,
    [listingId],
  );
  return rows[0] && toDatapointFeed('listing', rows[0]);
}

/** Returns false when another check was recorded, or the link changed, since the feed was read. */
export async function advanceCursor(
  sql: Sql,
  { id, externalId, progress }: Pick<DatapointFeed, 'id' | 'externalId' | 'progress'>,
  next: NextProgress,
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update listings
     set datapoint_cursor = $4, datapoint_cursor_of = $2, datapoints_doubted = $5, datapoints_due = now() + make_interval(secs => $6),
       datapoints_checked = clock_timestamp()
     where id = $1 and external_id = $2 and datapoints_checked::text is not distinct from $3`,
    [id, externalId, progress.stamp, next.cursor, next.doubtedSince, next.dueSeconds],
  );
  return rowCount === 1;
}

export async function postponeDatapointCheck(sql: Sql, listingId: number, seconds: number): Promise<void> {
  await sql.query('update listings set datapoints_due = now() + make_interval(secs => $2) where id = $1', [
    listingId,
    seconds,
  ]);
}

/** Claims due listings by moving their due time, so that no other worker claims them. */
export async function claimDueDatapointChecks(sql: Sql, limit: number, nextSeconds: number): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `update listings set datapoints_due = now() + make_interval(secs => $2)
     where id in (
       select id from listings where datapoints_due <= now() order by datapoints_due limit $1 for update skip locked
     )
     returning id`,
    [limit, nextSeconds],
  );
  return rows.map(({ id }) => id);
}

export async function claimDueInsights(
  sql: Sql,
  directoryTypes: readonly string[],
  limit: number,
  nextSeconds: number,
): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `update listings set insights_due = now() + make_interval(secs => $3)
     where id in (
       select due.id from unnest($1::text[]) as wanted (type)
       cross join lateral (
         select id from listings
         where directory_type = wanted.type and insights_due <= now() and external_id is not null
           and duplicate_of is null
         order by insights_due limit $2 for update skip locked
       ) as due
       limit $2
     )
     returning id`,
    [directoryTypes, limit, nextSeconds],
  );
  return rows.map(({ id }) => id);
}

export interface InsightProgress {
  listingId: number;
  partnerId: number;
  locationId: number;
  directoryType: string;
  externalId: string;
  /** YYYY-MM-DD: the last day with collected insights. */
  until: string | null;
}

export async function findInsightProgress(sql: Sql, listingId: number): Promise<InsightProgress | undefined> {
  const { rows } = await sql.query<InsightProgress>(
    `select id as "listingId", partner_id as "partnerId", location_id as "locationId",
       directory_type as "directoryType", external_id as "externalId",
       to_char(insights_until, 'YYYY-MM-DD') as until
     from listings where id = $1 and external_id is not null and duplicate_of is null`,
    [listingId],
  );
  return rows[0];
}

/** Never moves `until` back, because two collections of a listing may finish in any order. */
export async function advanceInsights(
  sql: Sql,
  listingId: number,
  { until, dueSeconds }: { until: string | null; dueSeconds: number },
): Promise<void> {
  await sql.query(
    `update listings set insights_until = greatest(insights_until, $2::date),
       insights_due = now() + make_interval(secs => $3)
     where id = $1`,
    [listingId, until, dueSeconds],
  );
}

interface InsightStatus {
  businessId: number;
  locationId: number;
  directoryType: string;
  insightsUntil: string | null;
}

export async function findInsightStatus(
  sql: Sql,
  partnerId: number,
  listingId: number,
): Promise<InsightStatus | undefined> {
  const { rows } = await sql.query<InsightStatus>(
    `select location.business_id as "businessId", location.id as "locationId",
       listing.directory_type as "directoryType", to_char(listing.insights_until, 'YYYY-MM-DD') as "insightsUntil"
     from listings listing join locations location on location.id = listing.location_id
     where listing.partner_id = $1 and listing.id = $2`,
    [partnerId, listingId],
  );
  return rows[0];
}

/** Listings that a check has found. A listing that was submitted and not checked since has no datapoints to read yet. */
const found = `external_id is not null and sync_status in ('IN_SYNC', 'NOT_IN_SYNC')`;

/** Listings without a first check, and without a first read of datapoints. Rate-limited listings are not counted. */
export async function countInitialChecks(
  sql: Sql,
  locationIds: readonly number[],
  directories: readonly Directory[],
): Promise<{ unchecked: number; unread: number }> {
  const { rows } = await sql.query<{ unchecked: number; unread: number }>(
    `select count(*) filter (where last_checked is null and (not_before is null or not_before <= now())) as unchecked,
       count(*) filter (where ${found} and directory_type = any ($2)
         and datapoints_checked is null and datapoints_due is null) as unread
     from listings where location_id = any ($1::bigint[]) and duplicate_of is null`,
    [locationIds, directories.filter(({ dataPointTypes }) => dataPointTypes.length > 0).map(({ type }) => type)],
  );
  return rows[0] ?? { unchecked: 0, unread: 0 };
}

export async function listingsWithoutInsights(
  sql: Sql,
  locationIds: readonly number[],
  directories: readonly Directory[],
): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `select id from listings
     where location_id = any ($1::bigint[]) and duplicate_of is null and ${found} and directory_type = any ($2)
       and insights_due <= now() and insights_until is null
     order by id`,
    [locationIds, directories.filter(({ supports }) => supports.insights).map(({ type }) => type)],
  );
  return rows.map(({ id }) => id);
}

/** How many of these listings still have no insights. */
export async function countWithoutInsights(sql: Sql, listingIds: readonly number[]): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'select count(*) from listings where id = any ($1::bigint[]) and insights_due <= now() and insights_until is null',
    [listingIds],
  );
  return rows[0]?.count ?? 0;
}
