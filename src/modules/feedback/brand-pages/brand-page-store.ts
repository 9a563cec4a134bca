import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import { type DatapointFeed, type DatapointFeedRow, type NextProgress, toDatapointFeed } from '../../listings/index.ts';
import type { BrandPage } from './brand-page.ts';

const columns = `id, business_id as "businessId", directory_type as "directoryType", external_id as "externalId", name,
  url, followers, last_checked as "lastChecked", date_created as "dateCreated"`;

interface BrandPageFilter {
  partnerId: number;
  reach: Reach;
  businessIds?: readonly number[];
  directoryTypes?: readonly string[];
  ids?: readonly number[];
}

function conditionsOf({ partnerId, reach, businessIds, directoryTypes, ids }: BrandPageFilter): Conditions {
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  if (businessIds) conditions.add(`business_id = any (${conditions.value(businessIds)}::bigint[])`);
  if (directoryTypes) conditions.add(`directory_type = any (${conditions.value(directoryTypes)}::text[])`);
  if (ids) conditions.add(`id = any (${conditions.value(ids)}::bigint[])`);
  return withinReach(conditions, reach, { business: 'business_id' });
}

export async function listBrandPages(
  sql: Sql,
  filter: BrandPageFilter,
  page: { offset: number; max: number; after?: number },
): Promise<BrandPage[]> {
  const conditions = conditionsOf(filter);
  conditions.add(`id > ${conditions.value(page.after ?? 0)}`);
  const { rows } = await sql.query<BrandPage>(
    `select ${columns} from directory_business_pages ${conditions.where}
     order by id offset ${conditions.value(page.offset)} limit ${conditions.value(page.max)}`,
    conditions.values,
  );
  return rows;
}

export function countBrandPages(sql: Sql, filter: BrandPageFilter): Promise<Counted> {
  const conditions = conditionsOf(filter);
  return countMatching(sql, 'directory_business_pages', conditions);
}

export async function findBrandPage(
  sql: Sql,
  partnerId: number,
  reach: Reach,
  id: number,
): Promise<BrandPage | undefined> {
  const [page] = await listBrandPages(sql, { partnerId, reach, ids: [id] }, { offset: 0, max: 1 });
  return page;
}

/** Returns the ids of pages that were inserted. */
export async function upsertBrandPages(
  sql: Sql,
  business: { partnerId: number; id: number },
  directoryType: string,
  found: readonly { externalId: string; name: string; url?: string | undefined; followers: number }[],
): Promise<number[]> {
  const { rows } = await sql.query<{ id: number; isNew: boolean }>(
    `insert into directory_business_pages (partner_id, business_id, directory_type, external_id, name, url, followers)
     select $1, $2, $3, found.* from (
       select distinct on (external_id) *
       from unnest($4::text[], $5::text[], $6::text[], $7::integer[]) as given (external_id, name, url, followers)
     ) as found
     on conflict (business_id, directory_type, external_id) do update
       set name = excluded.name, url = excluded.url, followers = excluded.followers
     returning id, xmax = 0 as "isNew"`,
    [
      business.partnerId,
      business.id,
      directoryType,
      found.map(({ externalId }) => externalId),
      found.map(({ name }) => name),
      found.map(({ url }) => url ?? null),
      found.map(({ followers }) => followers),
    ],
  );
  return rows.filter(({ isNew }) => isNew).map(({ id }) => id);
}

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
