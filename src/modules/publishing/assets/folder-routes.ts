import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { numberedPageOf, numberedPageQuery, numberedPageSchema, offsetOf } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { notFound, Problem, unknownReference } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import type { Asset } from './asset.ts';
import { countAssetsByFolder, lockAssetsInFolders, visibleAssets } from './asset-store.ts';
import { audienceOf, hasNoAccess, mayChange } from './asset-targets.ts';
import { deleteWithFiles, requireUnused } from './change-asset.ts';
import {
  countFolders,
  deleteFolders,
  type Folder,
  FolderChange,
  FolderResponse,
  folderName,
  folderResponse,
  folderTree,
  insertFolder,
  listFolders,
  lockFolders,
  lockFolderTree,
  maxFolderDepth,
  NewFolder,
  requireFolder,
  tooDeep,
  updateFolder,
} from './folder-store.ts';

export function folderRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/dam/folders',
    summary: 'List the folders of digital assets by name',
    needs: 'ASSET_READ',
    query: Type.Object({
      ...numberedPageQuery,
      parentId: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only direct subfolders of this folder; 0 for the top level',
        }),
      ),
      query: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name' })),
    }),
    response: numberedPageSchema('folders', FolderResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      if (query.parentId) await visibleFolder(database.pool, caller, query.parentId);
      if (hasNoAccess(caller)) return numberedPageOf('folders', query, 0, []);
      const limits = { offset: offsetOf(query), limit: query.size };
      const [count, folders] = await Promise.all([
        countFolders(database.pool, caller.partnerId, query),
        listFolders(database.pool, caller.partnerId, query, limits),
      ]);
      return numberedPageOf('folders', query, count, await responsesOf(database.pool, caller, folders));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/dam/folders',
    summary: 'Create a folder',
    needs: 'ASSET_WRITE',
    body: NewFolder,
    response: FolderResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) =>
        responseOf(transaction, request.caller, await createFolder(transaction, request.caller, request.body)),
      ),
  });

  route(server, {
    method: 'GET',
    path: '/api/dam/folders/:id',
    summary: 'Get a folder with its path and counts',
    needs: 'ASSET_READ',
    params: idParams,
    response: FolderResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      responseOf(database.pool, caller, await visibleFolder(database.pool, caller, id)),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/dam/folders/:id',
    summary: 'Rename or move a folder with its content. parentId null moves it to the top level',
    needs: 'ASSET_WRITE',
    params: idParams,
    body: FolderChange,
    response: FolderResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id }, body, warnings }) => {
      requireChange(body, FolderChange.properties, warnings);
      return database.transaction(async (transaction) =>
        responseOf(transaction, caller, await changeFolder(transaction, caller, id, body)),
      );
    },
  });

  route(server, {
    method: 'DELETE',
    path: '/api/dam/folders/:id',
    summary: 'Delete a folder. Non-empty folders require recursive',
    needs: 'ASSET_WRITE',
    params: idParams,
    query: Type.Object({
      recursive: Type.Boolean({ default: false, description: 'Delete subfolders and assets as well' }),
      force: Type.Boolean({
        default: false,
        description: 'Delete assets even if posts, locations, content or templates use them',
      }),
    }),
    response: Type.Object({
      success: Type.Literal(true),
      foldersCount: Type.Integer({ description: 'Number of deleted folders', examples: [1] }),
      assetsCount: Type.Integer({ description: 'Number of deleted assets' }),
    }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id }, query }) => {
      const counts = await database.transaction((transaction) => deleteFolder(transaction, caller, id, query));
      return { success: true as const, ...counts };
    },
  });
}

async function visibleFolder(sql: Sql, caller: Caller, id: number): Promise<Folder> {
  if (hasNoAccess(caller)) throw notFound(`folder ${id}`);
  return requireFolder(sql, caller.partnerId, id);
}

async function responsesOf(sql: Sql, caller: Caller, folders: readonly Folder[]) {
  const counts = await countAssetsByFolder(
    visibleAssets(sql, caller, await audienceOf(sql, caller)),
    folders.map(({ id }) => id),
  );
  return folders.map((folder) => folderResponse(folder, counts.get(folder.id) ?? 0));
}

async function responseOf(sql: Sql, caller: Caller, folder: Folder) {
  const [response] = await responsesOf(sql, caller, [folder]);
  return response as NonNullable<typeof response>;
}

const subject = 'ASSET_FOLDER';

export async function createFolder(
  transaction: Transaction,
  caller: Caller,
  input: Static<typeof NewFolder>,
): Promise<Folder> {
  const { partnerId, by: createdBy } = caller;
  const name = folderName(input.name);
  await lockFolderTree(transaction, partnerId);
  const parent = input.parentId === undefined ? undefined : await requireParent(transaction, partnerId, input.parentId);
  if (parent && parent.path.length >= maxFolderDepth) throw tooDeep();
  const id = await insertFolder(transaction, { partnerId, createdBy, name, parentId: parent?.id ?? null });
  await recordAudit(transaction, actorOf(caller), 'CREATED', subject, id, { name });
  return requireFolder(transaction, partnerId, id);
}

async function changeFolder(
  transaction: Transaction,
  caller: Caller,
  id: number,
  patch: Static<typeof FolderChange>,
): Promise<Folder> {
  const { partnerId } = caller;
  await lockFolderTree(transaction, partnerId);
  const folder = await requireFolder(transaction, partnerId, id);
  const tree = await folderTree(transaction, id);
  const folderIds = tree.map((subfolder) => subfolder.id);
  await requireOwnAssets(transaction, caller, folder, await lockAssetsInFolders(transaction, folderIds));
  const name = patch.name === undefined ? folder.name : folderName(patch.name);
  const parentId = patch.parentId === undefined ? folder.parentId : patch.parentId;
  if (parentId !== null && parentId !== folder.parentId) {
    checkMove(folder, tree, await requireParent(transaction, partnerId, parentId));
  }
  await updateFolder(transaction, id, { name, parentId });
  await recordAudit(transaction, actorOf(caller), 'UPDATED', subject, id, patch);
  return requireFolder(transaction, partnerId, id);
}

function checkMove(folder: Folder, tree: Awaited<ReturnType<typeof folderTree>>, parent: Folder): void {
  if (tree.some(({ id }) => id === parent.id)) {
    throw new Problem('CONFLICT', {
      message: `Folder ${parent.id} ("${parent.name}") is folder ${folder.id} or a subfolder of it. A folder cannot be moved into itself. Choose another parent.`,
    });
  }
  const height = Math.max(...tree.map(({ depth }) => depth)) + 1;
  if (parent.path.length + height > maxFolderDepth) throw tooDeep();
}

/** Non-empty folders require `recursive`. */
async function deleteFolder(
  transaction: Transaction,
  caller: Caller,
  id: number,
  { recursive, force }: { recursive: boolean; force: boolean },
): Promise<{ foldersCount: number; assetsCount: number }> {
  const { partnerId } = caller;
  await lockFolderTree(transaction, partnerId);
  const folder = await requireFolder(transaction, partnerId, id);
  const folderIds = (await folderTree(transaction, id)).map((subfolder) => subfolder.id);
  await lockFolders(transaction, folderIds);
  const assets = await lockAssetsInFolders(transaction, folderIds);
  const isEmpty = folderIds.length === 1 && assets.length === 0;
  if (!isEmpty && !recursive) throw notEmpty(folder);
  await requireOwnAssets(transaction, caller, folder, assets);
  if (!force) await requireUnused(transaction, caller, assets);
  await deleteWithFiles(transaction, assets);
  await deleteFolders(transaction, folderIds);
  const counts = { foldersCount: folderIds.length, assetsCount: assets.length };
  await recordAudit(transaction, actorOf(caller), 'DELETED', subject, id, { name: folder.name, ...counts });
  return counts;
}

/** A caller with partial access cannot change folders that contain assets for other locations. */
async function requireOwnAssets(
  transaction: Transaction,
  caller: Caller,
  { id, name }: Folder,
  assets: readonly Asset[],
): Promise<void> {
  const audience = await audienceOf(transaction, caller);
  if (assets.every((asset) => mayChange(caller, asset, audience))) return;
  throw new Problem('FORBIDDEN', {
    message: `Folder ${id} ("${name}") contains assets for locations that you do not manage. A user with access to the whole account can change or delete it.`,
  });
}

const requireParent = (transaction: Transaction, partnerId: number, id: number): Promise<Folder> =>
  requireFolder(transaction, partnerId, id, (record) => unknownReference('parentId', record));

const notEmpty = ({ id, name }: Folder) =>
  new Problem('CONFLICT', {
    message: `Folder ${id} ("${name}") is not empty. Empty it first, or delete it and its content with recursive=true.`,
  });
