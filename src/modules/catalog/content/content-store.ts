import type { Sql } from '../../../database/connection.ts';
import type { ContentList } from './content.ts';
import { itemsOfCollection } from './item-store.ts';

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
