import type { Sql } from '../../../database/connection.ts';
import { type DatapointFeed, type DatapointFeedRow, type NextProgress, toDatapointFeed } from '../../listings/index.ts';

export async function findPagePlace(sql: Sql, pageId: number): Promise<DatapointFeed | undefined> {
  const { rows } = await sql.query<DatapointFeedRow>(
    `select page.id, partner.id as "partnerId", partner.identifier as "partnerIdentifier",
       page.business_id as "businessId", null as "locationId", page.directory_type as "directoryType",
       page.external_id as "externalId", page.datapoint_cursor as cursor, page.last_checked::text as stamp,
       page.datapoints_doubted as "doubtedSince"
     from directory_business_pages page
     join businesses business on business.id = page.business_id and business.status <> 'DELETED'
     join sales_partners partner on partner.id = page.partner_id
     where page.id = $1`,
    [pageId],
  );
  return rows[0] && toDatapointFeed('page', rows[0]);
}

/** Returns false if another check was recorded in the meantime. */
export async function advancePageCursor(
  sql: Sql,
  { id, progress }: Pick<DatapointFeed, 'id' | 'progress'>,
  next: NextProgress,
): Promise<boolean> {
  const { rowCount } = await sql.query(
    `update directory_business_pages
     set datapoint_cursor = $3, datapoints_doubted = $4, datapoints_due = now() + make_interval(secs => $5), last_checked = clock_timestamp()
     where id = $1 and last_checked::text is not distinct from $2`,
    [id, progress.stamp, next.cursor, next.doubtedSince, next.dueSeconds],
  );
  return rowCount === 1;
}

export async function postponePageCheck(sql: Sql, pageId: number, seconds: number): Promise<void> {
  await sql.query(
    'update directory_business_pages set datapoints_due = now() + make_interval(secs => $2) where id = $1',
    [pageId, seconds],
  );
}

/** Claims due pages by moving their due time, so that other processes skip them. */
export async function claimDuePageChecks(sql: Sql, limit: number, nextSeconds: number): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `update directory_business_pages set datapoints_due = now() + make_interval(secs => $2)
     where id in (
       select id from directory_business_pages
       where datapoints_due <= now() order by datapoints_due limit $1 for update skip locked
     )
     returning id`,
    [limit, nextSeconds],
  );
  return rows.map(({ id }) => id);
}
