import type { Sql } from '../../../database/connection.ts';
import type { ContentList } from './content.ts';
import { itemsOfCollection } from './item-store.ts';

/** What each of the locations shows, in order; a location without lists is not in the map. */
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

/** How many locations show a collection. */
export async function countLocationsShowing(sql: Sql, collectionId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'select count(distinct location_id) from content_lists where collection_id = $1',
    [collectionId],
  );
  return rows[0]?.count ?? 0;
}

/** Makes these the lists of the location, in this order; a list of a collection that it already showed stays the same. */
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
