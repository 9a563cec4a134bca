import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import { violates } from '../../../database/faults.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { Problem } from '../../../problems.ts';
import type { ContentCollection, ContentType } from './content.ts';
import { itemsOfCollection } from './item-store.ts';

const selectCollection = `
  select collection.id, business_id as "businessId", type, collection.name, collection.identifier, items.items,
    date_created as "dateCreated", last_updated as "lastUpdated"
  from content_collections collection ${itemsOfCollection}`;

export async function findCollection(sql: Sql, partnerId: number, id: number): Promise<ContentCollection | undefined> {
  const { rows } = await sql.query<ContentCollection>(
    `${selectCollection} where collection.partner_id = $1 and collection.id = $2`,
    [partnerId, id],
  );
  return rows[0];
}

/** Serialises changes of a collection and its items. Returns false if it does not exist. */
export async function lockCollection(sql: Sql, partnerId: number, id: number): Promise<boolean> {
  const { rowCount } = await sql.query('select from content_collections where partner_id = $1 and id = $2 for update', [
    partnerId,
    id,
  ]);
  return rowCount === 1;
}

/** The ids that are collections of the business, locked against changes until the transaction ends. */
export async function holdCollections(
  sql: Sql,
  partnerId: number,
  businessId: number,
  ids: readonly number[],
): Promise<Map<number, { name: string }>> {
  const { rows } = await sql.query<{ id: number; name: string }>(
    `select id, name from content_collections
     where partner_id = $1 and business_id = $2 and id = any ($3::bigint[]) order by id for share`,
    [partnerId, businessId, ids],
  );
  return new Map(rows.map(({ id, name }) => [id, { name }]));
}

export interface CollectionFilter {
  reach: Reach;
  businessId?: readonly number[];
  type?: readonly ContentType[];
  query?: string;
}

function conditionsOf(partnerId: number, { reach, businessId, type, query }: CollectionFilter): Conditions {
  const conditions = new Conditions(partnerId).add('collection.partner_id = $1');
  withinReach(conditions, reach, { business: 'business_id' });
  if (businessId) conditions.add(`business_id = any (${conditions.value(businessId)}::bigint[])`);
  if (type) conditions.add(`type = any (${conditions.value(type)})`);
  if (query !== undefined) conditions.add(`strpos(lower(collection.name), lower(${conditions.value(query)})) > 0`);
  return conditions;
}

/** Returns up to max + 1 rows, to detect whether another page follows. */
export async function listCollections(
  sql: Sql,
  partnerId: number,
  filter: CollectionFilter,
  { offset, max, after = 0 }: PageQuery,
): Promise<ContentCollection[]> {
  const conditions = conditionsOf(partnerId, filter);
  conditions.add(`collection.id > ${conditions.value(after)}`);
  const { rows } = await sql.query<ContentCollection>(
    `${selectCollection} ${conditions.where}
     order by collection.id offset ${conditions.value(offset)} limit ${conditions.value(max + 1)}`,
    conditions.values,
  );
  return rows;
}

export function countCollections(sql: Sql, partnerId: number, filter: CollectionFilter): Promise<Counted> {
  const conditions = conditionsOf(partnerId, filter);
  return countMatching(sql, 'content_collections collection', conditions);
}

export async function insertCollection(
  sql: Sql,
  partnerId: number,
  collection: Pick<ContentCollection, 'businessId' | 'type' | 'name' | 'identifier'>,
): Promise<number> {
  const { businessId, type, name, identifier } = collection;
  const { rows } = await rejectDuplicateIdentifier(
    identifier,
    sql.query<{ id: number }>(
      `insert into content_collections (partner_id, business_id, type, name, identifier)
       values ($1, $2, $3, $4, $5) returning id`,
      [partnerId, businessId, type, name, identifier],
    ),
  );
  return rows[0]?.id as number;
}

export async function updateCollection(
  sql: Sql,
  id: number,
  { name, identifier }: Pick<ContentCollection, 'name' | 'identifier'>,
): Promise<void> {
  await rejectDuplicateIdentifier(
    identifier,
    sql.query('update content_collections set name = $2, identifier = $3, last_updated = now() where id = $1', [
      id,
      name,
      identifier,
    ]),
  );
}

export async function touchCollection(sql: Sql, id: number): Promise<void> {
  await sql.query('update content_collections set last_updated = now() where id = $1', [id]);
}

/** Also deletes its items. */
export async function deleteCollection(sql: Sql, id: number): Promise<void> {
  await sql.query('delete from content_collections where id = $1', [id]);
}

async function rejectDuplicateIdentifier<T>(identifier: string | null, statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (!violates(error, 'content_collections_identifier')) throw error;
    throw new Problem('IDENTIFIER_NOT_UNIQUE', {
      message: `The identifier "${identifier}" is already in use by another collection. Choose another one.`,
    });
  }
}
