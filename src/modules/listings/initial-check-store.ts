import type { Sql } from '../../database/connection.ts';
import type { Directory } from '../directories/index.ts';

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
