import { expressionBuilder } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { DB, JsonObject } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { fieldNames } from '../../../http/record-response.ts';
import { identifierInUse } from '../../../problems.ts';
import { type ContentItem, type ItemFacts, ItemResponse, type ItemToKeep } from './content.ts';

export const itemColumns = fieldNames(ItemResponse);

type Narrowed = { attributes: JsonObject };

const item = raw`jsonb_build_object(${raw.join(itemColumns.flatMap((column) => [raw.lit(column), raw.ref(column)]))})`;

/** The ordered items of a collection, for a lateral join. */
export const itemsOfCollection = expressionBuilder<DB, 'contentCollections'>()
  .selectFrom('contentItems')
  .select(({ ref }) =>
    raw<ContentItem[]>`coalesce(jsonb_agg(${item} order by ${ref('position')}, ${ref('id')}), '[]')`.as('items'),
  )
  .whereRef('collectionId', '=', 'contentCollections.id')
  .as('items');

const itemsOf = (sql: Sql, collectionId: number) =>
  db(sql).selectFrom('contentItems').where('collectionId', '=', collectionId);

export function findItem(sql: Sql, collectionId: number, id: number): Promise<ContentItem | undefined> {
  return itemsOf(sql, collectionId).select(itemColumns).where('id', '=', id).$narrowType<Narrowed>().executeTakeFirst();
}

/** In display order. `after` is the last item of the previous page. */
export function listItems(sql: Sql, collectionId: number, { offset, max, after }: PageQuery): Promise<ContentItem[]> {
  let items = itemsOf(sql, collectionId);
  if (after !== undefined) {
    const last = itemsOf(sql, collectionId).select(['position', 'id']).where('id', '=', after);
    items = items.where(({ eb, refTuple }) => eb(refTuple('position', 'id'), '>', last.$asTuple('position', 'id')));
  }
  return items
    .select(itemColumns)
    .orderBy('position')
    .orderBy('id')
    .offset(offset)
    .limit(max)
    .$narrowType<Narrowed>()
    .execute();
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
    .$narrowType<Narrowed>();
  return rejectDuplicateIdentifier(facts.identifier, appended.executeTakeFirstOrThrow());
}

export function updateItem(
  sql: Sql,
  collectionId: number,
  id: number,
  facts: ItemFacts,
): Promise<ContentItem | undefined> {
  const updated = db(sql)
    .updateTable('contentItems')
    .set(settable(facts))
    .where('collectionId', '=', collectionId)
    .where('id', '=', id)
    .returning(itemColumns)
    .$narrowType<Narrowed>();
  return rejectDuplicateIdentifier(facts.identifier, updated.executeTakeFirst());
}

export async function deleteItem(sql: Sql, collectionId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('contentItems')
    .where('collectionId', '=', collectionId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

/** Replaces all items of the collection. */
export async function replaceItems(sql: Sql, collectionId: number, items: readonly ItemToKeep[]): Promise<void> {
  const kept = items.flatMap(({ id }) => (id === null ? [] : [id]));
  await db(sql)
    .deleteFrom('contentItems')
    .where('collectionId', '=', collectionId)
    .where(({ eb, not }) => not(eb('id', '=', anyOf(kept, 'bigint'))))
    .execute();
  // Avoids unique violations when two items swap their identifiers.
  await db(sql)
    .updateTable('contentItems')
    .set({ identifier: null })
    .where('collectionId', '=', collectionId)
    .execute();
  const written = JSON.stringify(items.map((item, position) => ({ ...item, position })));
  await run(sql, updateKept, [collectionId, written]);
  await run(sql, insertNew, [collectionId, written]);
}

const writtenItems = `jsonb_to_recordset($2::jsonb) as given (id bigint, identifier text, name text, description text,
  image text, url text, price integer, currency text, attributes jsonb, position integer)`;

const updateKept = defineStatement({
  name: 'update-content-items',
  text: `update content_items item
         set identifier = given.identifier, name = given.name, description = given.description, image = given.image,
           url = given.url, price = given.price, currency = given.currency, attributes = given.attributes,
           position = given.position
         from ${writtenItems}
         where item.collection_id = $1 and item.id = given.id`,
});

const insertNew = defineStatement({
  name: 'insert-content-items',
  text: `insert into content_items
           (collection_id, identifier, name, description, image, url, price, currency, attributes, position)
         select $1, identifier, name, description, image, url, price, currency, attributes, position
         from ${writtenItems} where id is null order by position`,
});

const settable = ({ attributes, ...facts }: ItemFacts) => ({ ...facts, attributes: JSON.stringify(attributes) });

const rejectDuplicateIdentifier = <T>(identifier: string | null, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'content_items_identifier', () =>
    identifierInUse(identifier, 'another item of this collection'),
  );
