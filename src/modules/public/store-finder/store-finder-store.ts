import type { Sql } from '../../../database/connection.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import type { FinderContent, StoreFinder } from './store-finder.ts';

const columns = `id, partner_id as "partnerId", store_key as "storeKey", name, business_ids as "businessIds",
  label_ids as "labelIds", settings, date_created as "dateCreated", last_updated as "lastUpdated"`;

export async function findStoreFinder(sql: Sql, partnerId: number, storeKey: string): Promise<StoreFinder | undefined> {
  const { rows } = await sql.query<StoreFinder>({
    name: 'find-store-finder',
    text: `select ${columns} from store_finders where partner_id = $1 and store_key = $2`,
    values: [partnerId, storeKey],
  });
  return rows[0];
}

export async function lockStoreFinder(sql: Sql, partnerId: number, storeKey: string): Promise<StoreFinder | undefined> {
  const { rows } = await sql.query<StoreFinder>(
    `select ${columns} from store_finders where partner_id = $1 and store_key = $2 for update`,
    [partnerId, storeKey],
  );
  return rows[0];
}

/** Oldest first; `after` is the last id of the previous page. */
export async function listStoreFinders(
  sql: Sql,
  partnerId: number,
  { offset, max, after = 0 }: PageQuery,
): Promise<StoreFinder[]> {
  const { rows } = await sql.query<StoreFinder>(
    `select ${columns} from store_finders where partner_id = $1 and id > $2 order by id offset $3 limit $4`,
    [partnerId, after, offset, max],
  );
  return rows;
}

export async function countStoreFinders(sql: Sql, partnerId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>('select count(*) from store_finders where partner_id = $1', [
    partnerId,
  ]);
  return rows[0]?.count ?? 0;
}

export async function insertStoreFinder(
  sql: Sql,
  partnerId: number,
  storeKey: string,
  { name, businessIds, labelIds, settings }: FinderContent,
): Promise<StoreFinder> {
  const { rows } = await sql.query<StoreFinder>(
    `insert into store_finders (partner_id, store_key, name, business_ids, label_ids, settings)
     values ($1, $2, $3, $4, $5, $6) returning ${columns}`,
    [partnerId, storeKey, name, businessIds, labelIds, settings],
  );
  return rows[0] as StoreFinder;
}

export async function updateStoreFinder(
  sql: Sql,
  id: number,
  { name, businessIds, labelIds, settings }: FinderContent,
): Promise<StoreFinder> {
  const { rows } = await sql.query<StoreFinder>(
    `update store_finders set name = $2, business_ids = $3, label_ids = $4, settings = $5, last_updated = now()
     where id = $1 returning ${columns}`,
    [id, name, businessIds, labelIds, settings],
  );
  return rows[0] as StoreFinder;
}

export async function deleteStoreFinder(
  sql: Sql,
  partnerId: number,
  storeKey: string,
): Promise<StoreFinder | undefined> {
  const { rows } = await sql.query<StoreFinder>(
    `delete from store_finders where partner_id = $1 and store_key = $2 returning ${columns}`,
    [partnerId, storeKey],
  );
  return rows[0];
}
