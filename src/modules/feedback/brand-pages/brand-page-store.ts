import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import type { BrandPage } from './brand-page.ts';

const columns = `id, business_id as "businessId", directory_type as "directoryType", external_id as "externalId", name,
  url, followers, last_checked as "lastChecked", date_created as "dateCreated"`;

export interface BrandPageFilter {
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
