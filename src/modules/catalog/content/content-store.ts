import { expressionBuilder } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countAll, countRows } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { DB, JsonObject } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { inReach, type Reach } from '../../../http/access.ts';
import { type CursorPage, cursorPage, type PageQuery, rejectDeletedCursor } from '../../../http/pagination.ts';
import { fieldNames } from '../../../http/record-response.ts';
import { identifierInUse } from '../../../problems.ts';
import {
  CollectionResponse,
  type ContentCollection,
  type ContentItem,
  collectionFilter,
  type ItemFacts,
  ItemResponse,
  type ItemToKeep,
  maxListedItems,
} from './content.ts';

export const itemColumns = fieldNames(ItemResponse);

type NarrowedItem = { attributes: JsonObject };

const item = raw`jsonb_build_object(${raw.join(itemColumns.flatMap((column) => [raw.lit(column), raw.ref(column)]))})`;

/** The ordered items of a collection, for a lateral join. */
const itemsOfCollection = expressionBuilder<DB, 'contentCollections'>()
  .selectFrom('contentItems')
  .select(({ ref }) =>
    raw<ContentItem[]>`coalesce(jsonb_agg(${item} order by ${ref('position')}, ${ref('id')}), '[]')`.as('items'),
  )
  .whereRef('collectionId', '=', 'contentCollections.id')
  .as('items');

const itemsOf = (sql: Sql, collectionId: number) =>
  db(sql).selectFrom('contentItems').where('collectionId', '=', collectionId);

export const findItem = (sql: Sql, collectionId: number, id: number): Promise<ContentItem | undefined> =>
  itemsOf(sql, collectionId).select(itemColumns).where('id', '=', id).$narrowType<NarrowedItem>().executeTakeFirst();

/** In display order. `after` is the last item of the previous page. */
export function listItems(sql: Sql, collectionId: number, { offset, max, after }: PageQuery): Promise<ContentItem[]> {
  let items = itemsOf(sql, collectionId);
  if (after !== undefined) {
    const last = itemsOf(sql, collectionId).select(['position', 'id']).where('id', '=', after);
    items = items.where(({ eb, refTuple }) => eb(refTuple('position', 'id'), '>', last.$asTuple('position', 'id')));
  }
  const page = items
    .select(itemColumns)
    .orderBy('position')
    .orderBy('id')
    .offset(offset)
    .limit(max)
    .$narrowType<NarrowedItem>();
  return rejectDeletedCursor(after, page.execute(), (id) => findItem(sql, collectionId, id));
}

export const countItems = (sql: Sql, collectionId: number): Promise<number> => countAll(itemsOf(sql, collectionId));

export function appendItem(sql: Sql, collectionId: number, facts: ItemFacts): Promise<ContentItem> {
  const nextPosition = itemsOf(sql, collectionId).select(({ ref }) =>
    raw<number>`coalesce(max(${ref('position')}), -1) + 1`.as('position'),
  );
  const appended = db(sql)
    .insertInto('contentItems')
    .values({ collectionId, ...settable(facts), position: nextPosition })
    .returning(itemColumns)
    .$narrowType<NarrowedItem>();
  return rejectDuplicateItem(facts.identifier, appended.executeTakeFirstOrThrow());
}

/** The collection must be locked by this transaction. */
export function updateItem(sql: Sql, id: number, facts: ItemFacts): Promise<ContentItem> {
  const updated = db(sql)
    .updateTable('contentItems')
    .set(settable(facts))
    .where('id', '=', id)
    .returning(itemColumns)
    .$narrowType<NarrowedItem>();
  return rejectDuplicateItem(facts.identifier, updated.executeTakeFirstOrThrow());
}

export const deleteItem = (sql: Sql, collectionId: number, id: number) =>
  db(sql)
    .deleteFrom('contentItems')
    .where('collectionId', '=', collectionId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();

/** Replaces all items of the collection. Existing items keep their ids. */
export async function replaceItems(sql: Sql, collectionId: number, items: readonly ItemToKeep[]): Promise<void> {
  await db(sql).deleteFrom('contentItems').where('collectionId', '=', collectionId).execute();
  const written = items.map((item, position) => ({ ...item, position }));
  await run(sql, insertItems, [collectionId, JSON.stringify(written)]);
}

const insertItems = defineStatement({
  name: 'insert-content-items',
  text: `insert into content_items
           (id, collection_id, identifier, name, description, image, url, price, currency, attributes, position)
         select coalesce(id, nextval(pg_get_serial_sequence('content_items', 'id'))), $1, identifier, name, description,
           image, url, price, currency, attributes, position
         from jsonb_to_recordset($2::jsonb) as given (id bigint, identifier text, name text, description text,
           image text, url text, price integer, currency text, attributes jsonb, position integer)`,
});

const settable = ({ attributes, ...facts }: ItemFacts) => ({ ...facts, attributes: JSON.stringify(attributes) });

const rejectDuplicateItem = <T>(identifier: string | null, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'content_items_identifier', () =>
    identifierInUse(identifier, 'another item of this collection'),
  );

const ofPartner = (sql: Sql, partnerId: number) =>
  db(sql).selectFrom('contentCollections').where('partnerId', '=', partnerId);

const columns = fieldNames(CollectionResponse);

const withItems = (collections: ReturnType<typeof ofPartner>) =>
  collections
    .leftJoinLateral(itemsOfCollection, (join) => join.onTrue())
    .select(columns)
    .$narrowType<Pick<ContentCollection, 'type' | 'items'>>();

export const findCollection = (sql: Sql, partnerId: number, id: number): Promise<ContentCollection | undefined> =>
  withItems(ofPartner(sql, partnerId).where('id', '=', id)).executeTakeFirst();

const selectHead = (sql: Sql, partnerId: number, id: number) =>
  ofPartner(sql, partnerId).select(['id', 'businessId', 'name']).where('id', '=', id);

/** Without the items. */
export const findCollectionHead = (sql: Sql, partnerId: number, id: number) =>
  selectHead(sql, partnerId, id).executeTakeFirst();

/** Serializes changes of a collection and its items. */
export const lockCollection = (sql: Sql, partnerId: number, id: number) =>
  selectHead(sql, partnerId, id).forUpdate().executeTakeFirst();

/**
 * The ids that are collections of the business, or that the location already has (it may have moved), locked against
 * changes until the transaction ends. With `write`, also against other readers: two that both write would deadlock.
 */
export async function holdCollections(
  sql: Sql,
  partnerId: number,
  businessId: number,
  { ids, existing }: { ids: readonly number[]; existing: readonly number[] },
  purpose: 'read' | 'write',
): Promise<Map<number, { name: string }>> {
  const selected = ofPartner(sql, partnerId)
    .select(['id', 'name'])
    .where(({ eb, or }) => or([eb('businessId', '=', businessId), eb('id', '=', anyOf(existing, 'bigint'))]))
    .where('id', '=', anyOf(ids, 'bigint'))
    .orderBy('id');
  const rows = await (purpose === 'write' ? selected.forUpdate() : selected.forShare()).execute();
  return new Map(rows.map(({ id, name }) => [id, { name }]));
}

const shape = Type.Object(collectionFilter);
type CollectionFilter = Static<typeof shape> & { reach: Reach };

function matching(sql: Sql, partnerId: number, { reach, businessId, type, query }: CollectionFilter) {
  let collections = inReach(ofPartner(sql, partnerId), reach, { business: 'businessId' });
  if (businessId) collections = collections.where('businessId', '=', anyOf(businessId, 'bigint'));
  if (type) collections = collections.where('type', '=', anyOf(type, 'text'));
  if (query !== undefined)
    collections = collections.where(({ ref }) => raw<boolean>`strpos(lower(${ref('name')}), lower(${query})) > 0`);
  return collections;
}

/** A page of at most `max` collections; the returned `max` is smaller if more items do not fit. */
export async function listCollections(
  sql: Sql,
  partnerId: number,
  filter: CollectionFilter,
  { offset, max, after = 0 }: PageQuery,
): Promise<{ found: CursorPage<ContentCollection>; max: number }> {
  const page = await matching(sql, partnerId, filter)
    .select((eb) => [
      'id',
      eb
        .selectFrom('contentItems')
        .select(eb.fn.countAll<number>().as('count'))
        .whereRef('collectionId', '=', 'contentCollections.id')
        .$asScalar()
        .$notNull()
        .as('itemCount'),
    ])
    .where('id', '>', after)
    .orderBy('id')
    .offset(offset)
    .limit(max + 1)
    .execute();
  const fitting = fittingRecords(page.slice(0, max).map(({ itemCount }) => itemCount));
  // From this statement: a collection that is deleted before the next one is missing in the page.
  const { entries: ids, after: next } = cursorPage(
    page.map(({ id }) => id),
    fitting,
    (id) => id,
  );
  const entries = await withItems(
    ofPartner(sql, partnerId).where('id', '=', anyOf(ids, 'bigint')).orderBy('id'),
  ).execute();
  return { found: { entries, after: next }, max: fitting < Math.min(max, page.length) ? fitting : max };
}

/** The number of collections that fit into a response, by their numbers of items. */
function fittingRecords(itemCounts: readonly number[]): number {
  let items = 0;
  const excess = itemCounts.findIndex((count, index) => {
    items += count;
    return index > 0 && items > maxListedItems;
  });
  return excess === -1 ? itemCounts.length : excess;
}

export const countCollections = (sql: Sql, partnerId: number, filter: CollectionFilter): Promise<Counted> =>
  countRows(sql, {
    table: 'contentCollections',
    partnerId,
    rows: matching(sql, partnerId, filter),
    all: ofPartner(sql, partnerId),
  });

type NewCollection = Pick<ContentCollection, 'businessId' | 'type' | 'name' | 'identifier'>;

export async function insertCollection(sql: Sql, partnerId: number, collection: NewCollection) {
  const inserted = db(sql)
    .insertInto('contentCollections')
    .values({ partnerId, ...collection })
    .returning('id');
  const { id } = await rejectDuplicateIdentifier(collection.identifier, inserted.executeTakeFirstOrThrow());
  return id;
}

export async function updateCollection(
  sql: Sql,
  id: number,
  { name, identifier }: Pick<ContentCollection, 'name' | 'identifier'>,
): Promise<void> {
  const update = db(sql)
    .updateTable('contentCollections')
    .set({ name, identifier, lastUpdated: raw`now()` })
    .where('id', '=', id);
  await rejectDuplicateIdentifier(identifier, update.execute());
}

export async function touchCollection(sql: Sql, id: number): Promise<void> {
  await db(sql).updateTable('contentCollections').set({ lastUpdated: raw`now()` }).where('id', '=', id).execute();
}

/** Also deletes its items and the lists of deleted locations. */
export async function deleteCollection(sql: Sql, id: number): Promise<void> {
  await db(sql).deleteFrom('contentLists').where('collectionId', '=', id).execute();
  await db(sql).deleteFrom('contentCollections').where('id', '=', id).execute();
}

const rejectDuplicateIdentifier = <T>(identifier: string | null, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'content_collections_identifier', () => identifierInUse(identifier, 'another collection'));

/** A query of collections with an item whose image URL, link or attributes contain `part`. */
export function collectionsWithMedia(sql: Sql, partnerId: number, part: string) {
  const { ref } = expressionBuilder<DB, 'contentItems'>();
  const media = raw<string>`concat_ws(' ', ${ref('image')}, ${ref('url')}, ${ref('attributes')}::text)`;
  return ofPartner(sql, partnerId)
    .innerJoin('contentItems', 'contentItems.collectionId', 'contentCollections.id')
    .select(['contentCollections.id', raw<string>`string_agg(${media}, ' ')`.as('media')])
    .where(raw<boolean>`strpos(${media}, ${part}) > 0`)
    .groupBy('contentCollections.id');
}
