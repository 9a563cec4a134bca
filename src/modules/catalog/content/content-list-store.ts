import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { type ContentList, maxListedItems } from './content.ts';
import { itemColumns } from './content-store.ts';

interface ListsOfLocations {
  /** By location, in order. Locations without lists are absent. */
  contentLists: Map<number, ContentList[]>;
  /** Number of locations, from the first, whose items fit into a response. */
  fitting: number;
}

export async function contentListsOf(sql: Sql, locationIds: readonly number[]): Promise<ListsOfLocations> {
  const contentLists = new Map<number, ContentList[]>();
  for (const { locationId, items, ...list } of await run(sql, listsOfLocations, [locationIds, maxListedItems])) {
    if (!items) return { contentLists, fitting: locationIds.indexOf(locationId) };
    contentLists.set(locationId, [...(contentLists.get(locationId) ?? []), { ...list, items }]);
  }
  return { contentLists, fitting: locationIds.length };
}

const itemsJson = `coalesce((
  select jsonb_agg(jsonb_build_object(${itemColumns.map((name) => `'${name}', item.${name}`).join(', ')})
                   order by item.position, item.id)
  from content_items item where item.collection_id = collection.id), '[]')`;

/** SQL: a JSON array of the content lists of a location, in order. */
export const contentListsOfRow = (table: string) => `coalesce((
  select jsonb_agg(jsonb_build_object('id', list.id, 'name', list.name, 'type', collection.type,
                                      'collectionId', list.collection_id, 'items', ${itemsJson})
                   order by list.position, list.id)
  from content_lists list join content_collections collection on collection.id = list.collection_id
  where list.location_id = ${table}.id), '[]')`;

// Part of every list of locations. Items are null from the first location on that exceeds the limit with them.
const listsOfLocations = defineStatement<
  Omit<ContentList, 'items'> & { locationId: number; items: ContentList['items'] | null }
>({
  name: 'content-lists-of-locations',
  text: `select list.location_id, list.id, list.name, collection.type, list.collection_id,
           case when list.page_position = 1 or list.items_so_far <= $2::integer then ${itemsJson} end as items
         from (
           select listed.*, page_position, sum(
             (select count(*) from content_items item where item.collection_id = listed.collection_id)
           ) over (order by page_position) as items_so_far
           from unnest($1::bigint[]) with ordinality as given (location_id, page_position)
             join content_lists listed using (location_id)
         ) list join content_collections collection on collection.id = list.collection_id
         order by list.page_position, list.position, list.id`,
  columns: { locationId: 'int8', id: 'int8', name: 'text', type: 'text', collectionId: 'int8', items: 'jsonb' },
});

/** Without deleted locations. */
export async function countLocationsUsing(sql: Sql, collectionId: number): Promise<number> {
  const { count } = await db(sql)
    .selectFrom('contentLists')
    .innerJoin('locations', 'locations.id', 'contentLists.locationId')
    .select(({ fn }) => fn.count<number>('locationId').distinct().as('count'))
    .where('collectionId', '=', collectionId)
    .where('locations.status', '<>', 'DELETED')
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether the collection is in use, by no location except these. */
export async function isUsedOnlyBy(sql: Sql, collectionId: number, locationIds: readonly number[]): Promise<boolean> {
  const { isOnly } = await db(sql)
    .selectFrom('contentLists')
    .select(({ ref }) =>
      raw<boolean | null>`bool_and(${ref('locationId')} = ${anyOf(locationIds, 'bigint')})`.as('isOnly'),
    )
    .where('collectionId', '=', collectionId)
    .executeTakeFirstOrThrow();
  return isOnly === true;
}

/** Locations that use the collection, in order. */
export async function locationsUsing(sql: Sql, collectionId: number, after: number, limit: number): Promise<number[]> {
  const lists = await db(sql)
    .selectFrom('contentLists')
    .select('locationId')
    .distinct()
    .where('collectionId', '=', collectionId)
    .where('locationId', '>', after)
    .orderBy('locationId')
    .limit(limit)
    .execute();
  return lists.map(({ locationId }) => locationId);
}

/** Lists of collections that the location already uses keep their id. */
export async function replaceContentLists(
  sql: Sql,
  { partnerId, id }: { partnerId: number; id: number },
  lists: readonly { collectionId: number; name: string }[],
): Promise<void> {
  const collections = lists.map(({ collectionId }) => collectionId);
  await db(sql)
    .deleteFrom('contentLists')
    .where('locationId', '=', id)
    .where(({ eb, not }) => not(eb('collectionId', '=', anyOf(collections, 'bigint'))))
    .execute();
  await run(sql, upsertLists, [partnerId, id, collections, lists.map(({ name }) => name)]);
}

const upsertLists = defineStatement({
  name: 'upsert-content-lists',
  text: `insert into content_lists (partner_id, location_id, collection_id, name, position)
         select $1, $2, collection_id, name, position - 1
         from unnest($3::bigint[], $4::text[]) with ordinality as given (collection_id, name, position)
         order by position
         on conflict (location_id, collection_id) do update set name = excluded.name, position = excluded.position`,
});
