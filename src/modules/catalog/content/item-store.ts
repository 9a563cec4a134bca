import type { Sql } from '../../../database/connection.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { identifierInUse } from '../../../problems.ts';
import type { ContentItem, ItemFacts, ItemToKeep } from './content.ts';

const columns = 'id, identifier, name, description, image, url, price, currency, attributes';

/** Joins the ordered items of the table alias `collection` as `items.items`. */
export const itemsOfCollection = `
  left join lateral (
    select coalesce(jsonb_agg(jsonb_build_object('id', id, 'identifier', identifier, 'name', name,
      'description', description, 'image', image, 'url', url, 'price', price, 'currency', currency,
      'attributes', attributes) order by position, id), '[]') as items
    from content_items where collection_id = collection.id
  ) items on true`;

export async function findItem(sql: Sql, collectionId: number, id: number): Promise<ContentItem | undefined> {
  const { rows } = await sql.query<ContentItem>(
    `select ${columns} from content_items where collection_id = $1 and id = $2`,
    [collectionId, id],
  );
  return rows[0];
}

/** In display order. `after` is the last item of the previous page. */
export async function listItems(
  sql: Sql,
  collectionId: number,
  { offset, max, after }: PageQuery,
): Promise<ContentItem[]> {
  const { rows } = await sql.query<ContentItem>(
    `select ${columns} from content_items
     where collection_id = $1 and ($4::bigint is null
       or (position, id) > (select position, id from content_items where collection_id = $1 and id = $4))
     order by position, id offset $2 limit $3`,
    [collectionId, offset, max, after],
  );
  return rows;
}

export async function countItems(sql: Sql, collectionId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>('select count(*) from content_items where collection_id = $1', [
    collectionId,
  ]);
  return rows[0]?.count ?? 0;
}

export async function appendItem(sql: Sql, collectionId: number, facts: ItemFacts): Promise<ContentItem> {
  const { rows } = await rejectDuplicateIdentifier(
    facts.identifier,
    sql.query<ContentItem>(
      `insert into content_items
         (collection_id, identifier, name, description, image, url, price, currency, attributes, position)
       select $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce(max(position), -1) + 1
       from content_items where collection_id = $1
       returning ${columns}`,
      [collectionId, ...columnValues(facts)],
    ),
  );
  return rows[0] as ContentItem;
}

export async function updateItem(
  sql: Sql,
  collectionId: number,
  id: number,
  facts: ItemFacts,
): Promise<ContentItem | undefined> {
  const { rows } = await rejectDuplicateIdentifier(
    facts.identifier,
    sql.query<ContentItem>(
      `update content_items
       set identifier = $3, name = $4, description = $5, image = $6, url = $7, price = $8, currency = $9,
         attributes = $10
       where collection_id = $1 and id = $2
       returning ${columns}`,
      [collectionId, id, ...columnValues(facts)],
    ),
  );
  return rows[0];
}

export async function deleteItem(sql: Sql, collectionId: number, id: number): Promise<boolean> {
  const { rowCount } = await sql.query('delete from content_items where collection_id = $1 and id = $2', [
    collectionId,
    id,
  ]);
  return rowCount === 1;
}

/** Replaces all items of the collection. */
export async function replaceItems(sql: Sql, collectionId: number, items: readonly ItemToKeep[]): Promise<void> {
  const kept = items.flatMap(({ id }) => (id === null ? [] : [id]));
  await sql.query('delete from content_items where collection_id = $1 and not id = any ($2::bigint[])', [
    collectionId,
    kept,
  ]);
  // Avoids unique violations when two items swap their identifiers.
  await sql.query('update content_items set identifier = null where collection_id = $1', [collectionId]);
  const written = JSON.stringify(items.map((item, position) => ({ ...item, position })));
  const rows = `jsonb_to_recordset($2::jsonb) as given (id bigint, identifier text, name text, description text,
    image text, url text, price integer, currency text, attributes jsonb, position integer)`;
  await sql.query(
    `update content_items item
     set identifier = given.identifier, name = given.name, description = given.description, image = given.image,
       url = given.url, price = given.price, currency = given.currency, attributes = given.attributes,
       position = given.position
     from ${rows}
     where item.collection_id = $1 and item.id = given.id`,
    [collectionId, written],
  );
  await sql.query(
    `insert into content_items
       (collection_id, identifier, name, description, image, url, price, currency, attributes, position)
     select $1, identifier, name, description, image, url, price, currency, attributes, position
     from ${rows} where id is null order by position`,
    [collectionId, written],
  );
}

const columnValues = (facts: ItemFacts) => [
  facts.identifier,
  facts.name,
  facts.description,
  facts.image,
  facts.url,
  facts.price,
  facts.currency,
  facts.attributes,
];

const rejectDuplicateIdentifier = <T>(identifier: string | null, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'content_items_identifier', () =>
    identifierInUse(identifier, 'another item of this collection'),
  );
