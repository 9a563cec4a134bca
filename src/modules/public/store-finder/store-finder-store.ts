import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { db, pageById, raw } from '../../../database/query-builder.ts';
import { defineStatement, run, type Statement, selectionOf } from '../../../database/statement.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import type { FinderContent, StoreFinder } from './store-finder.ts';

const columnTypes: Statement<StoreFinder>['columns'] = {
  id: 'int8',
  partnerId: 'int8',
  storeKey: 'text',
  name: 'text',
  businessIds: 'int8[]',
  labelIds: 'int8[]',
  settings: 'jsonb',
  dateCreated: 'timestamptz',
  lastUpdated: 'timestamptz',
};
const columns = Object.keys(columnTypes) as (keyof StoreFinder)[];

type Narrowed = Pick<StoreFinder, 'settings'>;

export async function findStoreFinder(sql: Sql, partnerId: number, storeKey: string): Promise<StoreFinder | undefined> {
  return (await run(sql, storeFinderByKey, [partnerId, storeKey]))[0];
}

const storeFinderByKey = defineStatement<StoreFinder>({
  name: 'find-store-finder',
  text: `select ${selectionOf(columnTypes)} from store_finders where partner_id = $1 and store_key = $2`,
  columns: columnTypes,
});

export function lockStoreFinder(sql: Sql, partnerId: number, storeKey: string): Promise<StoreFinder | undefined> {
  return db(sql)
    .selectFrom('storeFinders')
    .select(columns)
    .where('partnerId', '=', partnerId)
    .where('storeKey', '=', storeKey)
    .forUpdate()
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

const findersOf = (sql: Sql, partnerId: number) =>
  db(sql).selectFrom('storeFinders').where('partnerId', '=', partnerId);

export function listStoreFinders(sql: Sql, partnerId: number, page: PageQuery): Promise<StoreFinder[]> {
  return pageById(findersOf(sql, partnerId).select(columns), page).$narrowType<Narrowed>().execute();
}

export const countStoreFinders = (sql: Sql, partnerId: number): Promise<number> => countAll(findersOf(sql, partnerId));

export function insertStoreFinder(
  sql: Sql,
  partnerId: number,
  storeKey: string,
  content: FinderContent,
): Promise<StoreFinder> {
  return db(sql)
    .insertInto('storeFinders')
    .values({ partnerId, storeKey, ...content, settings: JSON.stringify(content.settings) })
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export function updateStoreFinder(sql: Sql, id: number, content: FinderContent): Promise<StoreFinder> {
  return db(sql)
    .updateTable('storeFinders')
    .set({ ...content, settings: JSON.stringify(content.settings), lastUpdated: raw`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export function deleteStoreFinder(sql: Sql, partnerId: number, storeKey: string): Promise<StoreFinder | undefined> {
  return db(sql)
    .deleteFrom('storeFinders')
    .where('partnerId', '=', partnerId)
    .where('storeKey', '=', storeKey)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}
