import type { ExpressionBuilder, Insertable, Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { lockName, type Transaction } from '../../../database/transaction.ts';
import { Id } from '../../../http/ids.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { deletable } from '../../../http/validation.ts';
import { conflict, invalidField, notFound, Problem } from '../../../problems.ts';
import { normalizeText } from '../../../text.ts';
import { nameError } from './file-kind.ts';

/** Maximum nesting, including the outermost folder. */
export const maxFolderDepth = 10;

export interface Folder extends Omit<Selectable<DB['assetFolders']>, 'partnerId'> {
  /** Names from the top-level folder down to this one. */
  path: string[];
  foldersCount: number;
}

const name = Type.String({
  maxLength: 255,
  description: 'Without slashes; unique within the parent folder, ignoring case',
  examples: ['Campaigns 2026'],
});
const parentId = Type.Integer({ ...Id, description: 'Id of the parent folder; the top level if absent' });

export const NewFolder = Type.Object({ name, parentId: Type.Optional(parentId) }, { title: 'NewAssetFolder' });
export const FolderChange = Type.Object(
  { name: Type.Optional(name), parentId: Type.Optional(deletable(parentId)) },
  { title: 'AssetFolderChange' },
);

export const FolderResponse = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    parentId: Type.Optional(Type.Integer()),
    path: Type.Array(Type.String(), {
      description: 'Folder names from the top level down to this folder',
      examples: [['Marketing', 'Campaigns 2026']],
    }),
    foldersCount: Type.Integer({ description: 'Number of direct subfolders' }),
    assetsCount: Type.Integer({ description: 'Number of assets in the folder that the caller can see' }),
    createdBy: Type.String(),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
  },
  { title: 'AssetFolder' },
);

export const folderResponse = (folder: Folder, assetsCount: number): Static<typeof FolderResponse> =>
  recordResponse(FolderResponse, { ...folder, assetsCount });

export function folderName(given: string): string {
  const name = normalizeText(given);
  const error = nameError('name', name);
  if (error) throw new Problem('INVALID_PARAMETER', { errors: [error] });
  if (/[/\\]/.test(name) || /^\.+$/.test(name)) {
    throw invalidField('name', 'pattern', 'name must not contain slashes or consist of dots only.');
  }
  return name;
}

export const tooDeep = () =>
  invalidField(
    'parentId',
    'depth',
    `Folders can be nested at most ${maxFolderDepth} levels deep. Choose a parent closer to the top level.`,
  );

const columns = (eb: ExpressionBuilder<DB, 'assetFolders'>) =>
  [
    'id',
    'parentId',
    'name',
    'createdBy',
    'dateCreated',
    'lastUpdated',
    eb
      .selectFrom('assetFolders as innerFolder')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .whereRef('innerFolder.parentId', '=', 'assetFolders.id')
      .$asScalar()
      .$notNull()
      .as('foldersCount'),
    path.as('path'),
  ] as const;

const path = raw<string[]>`array(
  with recursive ancestors as (
    select asset_folders.name, asset_folders.parent_id, 0 as level
    union all
    select outer_folder.name, outer_folder.parent_id, ancestors.level + 1
    from ancestors join asset_folders as outer_folder on outer_folder.id = ancestors.parent_id
  )
  select name from ancestors order by level desc
)`;

/** Serializes changes of a partner's folder tree: concurrent moves could create a cycle. */
export async function lockFolderTree(transaction: Transaction, partnerId: number): Promise<void> {
  await lockName(transaction, `asset folders of ${partnerId}`);
}

/** `missing` creates the problem for a folder that does not exist. */
export async function requireFolder(
  sql: Sql,
  partnerId: number,
  id: number,
  missing: (record: string) => Problem = notFound,
): Promise<Folder> {
  const folder = await matching(sql, partnerId, {}).select(columns).where('id', '=', id).executeTakeFirst();
  if (!folder) throw missing(`folder ${id}`);
  return folder;
}

interface FolderFilter {
  /** 0: the top level. */
  parentId?: number;
  query?: string;
}

function matching(sql: Sql, partnerId: number, { parentId, query }: FolderFilter) {
  let folders = db(sql).selectFrom('assetFolders').where('partnerId', '=', partnerId);
  if (parentId === 0) folders = folders.where('parentId', 'is', null);
  else if (parentId !== undefined) folders = folders.where('parentId', '=', parentId);
  if (query) folders = folders.where(raw`strpos(lower(name), lower(${query}))`, '>', 0);
  return folders;
}

export const countFolders = (sql: Sql, partnerId: number, filter: FolderFilter): Promise<number> =>
  countAll(matching(sql, partnerId, filter));

export function listFolders(
  sql: Sql,
  partnerId: number,
  filter: FolderFilter,
  page: { offset: number; limit: number },
): Promise<Folder[]> {
  return matching(sql, partnerId, filter)
    .select(columns)
    .orderBy(raw`lower(name)`)
    .orderBy('id')
    .offset(page.offset)
    .limit(page.limit)
    .execute();
}

const readTree = defineStatement<{ id: number; depth: number }>({
  name: 'read-folder-tree',
  text: `with recursive tree as (
           select $1::bigint as id, 0 as depth
           union all
           select asset_folders.id, tree.depth + 1 from tree join asset_folders on asset_folders.parent_id = tree.id
         )
         select id, depth from tree`,
  columns: { id: 'int8', depth: 'int4' },
});

/** The folder and all of its descendants, with their depth below it. */
export const folderTree = (sql: Sql, id: number) => run(sql, readTree, [id]);

export async function insertFolder(sql: Sql, folder: Insertable<DB['assetFolders']>): Promise<number> {
  const inserted = db(sql).insertInto('assetFolders').values(folder).returning('id').executeTakeFirstOrThrow();
  const { id } = await rejectDuplicateName(folder.name, inserted);
  return id;
}

export async function updateFolder(
  sql: Sql,
  id: number,
  { name, parentId }: { name: string; parentId: number | null },
): Promise<void> {
  const folder = db(sql)
    .updateTable('assetFolders')
    .set({ name, parentId, lastUpdated: raw`now()` })
    .where('id', '=', id);
  await rejectDuplicateName(name, folder.execute());
}

/** Waits for concurrent inserts of assets into these folders and blocks new ones. */
export async function lockFolders(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await db(transaction)
    .selectFrom('assetFolders')
    .select('id')
    .where('id', '=', anyOf(ids, 'bigint'))
    .orderBy('id')
    .forUpdate()
    .execute();
}

export async function deleteFolders(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await db(transaction).deleteFrom('assetFolders').where('id', '=', anyOf(ids, 'bigint')).execute();
}

const rejectDuplicateName = <T>(name: string, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'asset_folders_name', () => {
    const message = `A folder named "${name}" already exists at this level. Use that folder or choose another name.`;
    return conflict('name', 'unique', message);
  });
