import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { identifierInUse } from '../../../problems.ts';
import type { ContentCollection, ContentList, ContentType } from './content.ts';
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

interface CollectionFilter {
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

const rejectDuplicateIdentifier = <T>(identifier: string | null, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'content_collections_identifier', () => identifierInUse(identifier, 'another collection'));

/** Content lists per location, in order. Locations without lists are absent. */
export async function contentListsOf(sql: Sql, locationIds: readonly number[]): Promise<Map<number, ContentList[]>> {
  const { rows } = await sql.query<{ locationId: number; list: ContentList }>(
    `select list.location_id as "locationId", jsonb_build_object('id', list.id, 'name', list.name,
       'type', collection.type, 'collectionId', collection.id, 'items', items.items) as list
     from content_lists list
     join content_collections collection on collection.id = list.collection_id ${itemsOfCollection}
     where list.location_id = any ($1::bigint[])
     order by list.location_id, list.position, list.id`,
    [locationIds],
  );
  const lists = new Map<number, ContentList[]>();
  for (const { locationId, list } of rows) lists.set(locationId, [...(lists.get(locationId) ?? []), list]);
  return lists;
}

export async function countLocationsUsing(sql: Sql, collectionId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'select count(distinct location_id) from content_lists where collection_id = $1',
    [collectionId],
  );
  return rows[0]?.count ?? 0;
}

/** Lists of collections that the location already uses keep their id. */
export async function replaceContentLists(
  sql: Sql,
  { partnerId, id }: { partnerId: number; id: number },
  lists: readonly { collectionId: number; name: string }[],
): Promise<void> {
  const collections = lists.map(({ collectionId }) => collectionId);
  await sql.query('delete from content_lists where location_id = $1 and not collection_id = any ($2::bigint[])', [
    id,
    collections,
  ]);
  await sql.query(
    `insert into content_lists (partner_id, location_id, collection_id, name, position)
     select $1, $2, collection_id, name, position - 1
     from unnest($3::bigint[], $4::text[]) with ordinality as given (collection_id, name, position)
     order by position
     on conflict (location_id, collection_id) do update set name = excluded.name, position = excluded.position`,
    [partnerId, id, collections, lists.map(({ name }) => name)],
  );
}

/** Collections with an item whose image URL, link or attributes contain `part`. */
export async function collectionsWithMedia(
  sql: Sql,
  partnerId: number,
  part: string,
): Promise<{ id: number; media: string }[]> {
  const { rows } = await sql.query<{ id: number; media: string }>(
    `select collection.id, string_agg(shown.media, ' ') as media
     from content_collections collection join content_items item on item.collection_id = collection.id,
       lateral (select concat_ws(' ', item.image, item.url, item.attributes::text) as media) as shown
     where collection.partner_id = $1 and strpos(shown.media, $2) > 0
     group by collection.id order by collection.id`,
    [partnerId, part],
  );
  return rows;
}
