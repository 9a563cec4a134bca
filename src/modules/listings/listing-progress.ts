import type { Sql } from '../../database/connection.ts';
import { type NextProgress, type Place, type PlaceRow, placeOf } from './place.ts';

/** How far the datapoints and insights of a listing have been read. */

/** A listing with a page on its directory, as a place of datapoints. */
export async function findListingPlace(sql: Sql, listingId: number): Promise<Place | undefined> {
  const { rows } = await sql.query<PlaceRow>(
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
  return rows[0] && placeOf('listing', rows[0]);
}

/** False when another check was written down since, or the listing points to another page now. */
export async function advanceCursor(
  sql: Sql,
  { id, externalId, progress }: Pick<Place, 'id' | 'externalId' | 'progress'>,
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

/** The directory did not answer: another time. */
export async function postponeDatapointCheck(sql: Sql, listingId: number, seconds: number): Promise<void> {
  await sql.query('update listings set datapoints_due = now() + make_interval(secs => $2) where id = $1', [
    listingId,
    seconds,
  ]);
}

/** Takes listings whose time has come, and gives them a new one so that nobody else does. */
export async function takeDueDatapointChecks(sql: Sql, limit: number, nextSeconds: number): Promise<number[]> {
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

export async function takeDueInsights(
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
  /** YYYY-MM-DD, the last day that was answered for. */
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

/** Never back: two collections of the same listing may end in any order. */
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

/** Whose a listing is, and how far its insights are known; for those who may see it. */
export interface ListingStanding {
  businessId: number;
  locationId: number;
  directoryType: string;
  insightsUntil: string | null;
}

export async function findListingStanding(
  sql: Sql,
  partnerId: number,
  listingId: number,
): Promise<ListingStanding | undefined> {
  const { rows } = await sql.query<ListingStanding>(
    `select location.business_id as "businessId", location.id as "locationId",
       listing.directory_type as "directoryType", to_char(listing.insights_until, 'YYYY-MM-DD') as "insightsUntil"
     from listings listing join locations location on location.id = listing.location_id
     where listing.partner_id = $1 and listing.id = $2`,
    [partnerId, listingId],
  );
  return rows[0];
}
