import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { violates } from '../../../database/faults.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { notFound, Problem } from '../../../problems.ts';
import type { Folder } from './folder.ts';

const columns = `id, parent_id as "parentId", name, created_by as "createdBy", date_created as "dateCreated",
  last_updated as "lastUpdated",
  (select count(*) from asset_folders as inner_folder where inner_folder.parent_id = asset_folders.id) as "foldersCount",
  array(
    with recursive way as (
      select asset_folders.name, asset_folders.parent_id, 0 as step
      union all
      select outer_folder.name, outer_folder.parent_id, way.step + 1
      from way join asset_folders as outer_folder on outer_folder.id = way.parent_id
    )
    select name from way order by step desc
  ) as path`;

/** Serializes changes of a partner's folder tree: concurrent moves could create a cycle. */
export async function lockFolderTree(transaction: Transaction, partnerId: number): Promise<void> {
  await transaction.query("select pg_advisory_xact_lock(hashtextextended('asset folders of ' || $1::bigint, 0))", [
    partnerId,
  ]);
}

/** `missing` creates the problem for a folder that does not exist. */
export async function requireFolder(
  sql: Sql,
  partnerId: number,
  id: number,
  missing: (what: string) => Problem = notFound,
): Promise<Folder> {
  const { rows } = await sql.query<Folder>(`select ${columns} from asset_folders where partner_id = $1 and id = $2`, [
    partnerId,
    id,
  ]);
  if (!rows[0]) throw missing(`folder ${id}`);
  return rows[0];
}

interface FolderFilter {
  /** Null: the top level. */
  parentId?: number | null;
  query?: string;
}

function conditionsOf(partnerId: number, { parentId, query }: FolderFilter): Conditions {
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  if (parentId === null) conditions.add('parent_id is null');
  else if (parentId !== undefined) conditions.add(`parent_id = ${conditions.value(parentId)}`);
  if (query) conditions.add(`strpos(lower(name), lower(${conditions.value(query)})) > 0`);
  return conditions;
}

export async function countFolders(sql: Sql, partnerId: number, filter: FolderFilter): Promise<number> {
  const conditions = conditionsOf(partnerId, filter);
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from asset_folders ${conditions.where}`,
    conditions.values,
  );
  return rows[0]?.count ?? 0;
}

export async function listFolders(
  sql: Sql,
  partnerId: number,
  filter: FolderFilter,
  page: { offset: number; limit: number },
): Promise<Folder[]> {
  const conditions = conditionsOf(partnerId, filter);
  const { rows } = await sql.query<Folder>(
    `select ${columns} from asset_folders ${conditions.where} order by lower(name), id
     offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

/** The folder and all of its descendants, with their depth below it. */
export async function folderTree(sql: Sql, id: number): Promise<{ id: number; depth: number }[]> {
  const { rows } = await sql.query<{ id: number; depth: number }>(
    `with recursive tree as (
       select $1::bigint as id, 0 as depth
       union all
       select asset_folders.id, tree.depth + 1 from tree join asset_folders on asset_folders.parent_id = tree.id
     )
     select id, depth from tree`,
    [id],
  );
  return rows;
}

interface FolderOwner {
  partnerId: number;
  createdBy: string;
}

export async function insertFolder(
  sql: Sql,
  { partnerId, createdBy }: FolderOwner,
  { name, parentId }: { name: string; parentId: number | null },
): Promise<number> {
  const { rows } = await sql
    .query<{ id: number }>(
      'insert into asset_folders (partner_id, created_by, name, parent_id) values ($1, $2, $3, $4) returning id',
      [partnerId, createdBy, name, parentId],
    )
    .catch((error) => rethrowDuplicateName(error, name));
  return rows[0]?.id as number;
}

export async function updateFolder(
  sql: Sql,
  id: number,
  { name, parentId }: { name: string; parentId: number | null },
): Promise<void> {
  await sql
    .query('update asset_folders set name = $2, parent_id = $3, last_updated = now() where id = $1', [
      id,
      name,
      parentId,
    ])
    .catch((error) => rethrowDuplicateName(error, name));
}

/** Waits for concurrent inserts of assets into these folders and blocks new ones. */
export async function lockFolders(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await transaction.query('select id from asset_folders where id = any ($1::bigint[]) order by id for update', [ids]);
}

export async function deleteFolders(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await transaction.query('delete from asset_folders where id = any ($1::bigint[])', [ids]);
}

function rethrowDuplicateName(error: unknown, name: string): never {
  if (!violates(error, 'asset_folders_name')) throw error;
  throw new Problem('CONFLICT', {
    message: `A folder named "${name}" already exists here. Use that folder or choose another name.`,
  });
}
