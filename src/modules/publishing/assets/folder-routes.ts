import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { numberedPageOf, numberedPageQuery, numberedPageSchema, offsetOf } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { nothingToChange } from '../../../http/validation.ts';
import { notFound } from '../../../problems.ts';
import { countAssetsByFolder, visibleAssets } from './asset-store.ts';
import { audienceOf, hasNoAccess } from './asset-targets.ts';
import { changeFolder, createFolder, deleteFolder } from './change-folder.ts';
import { type Folder, FolderChange, FolderResponse, folderResponse, NewFolder } from './folder.ts';
import { countFolders, listFolders, requireFolder } from './folder-store.ts';

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
      const { parentId, query: part } = query;
      const limits = { offset: offsetOf(query), limit: query.size };
      if (parentId) await visibleFolder(database.pool, caller, parentId);
      if (hasNoAccess(caller)) return numberedPageOf('folders', query, 0, []);
      const filter = {
        ...(parentId !== undefined && { parentId: parentId === 0 ? null : parentId }),
        ...(part !== undefined && { query: part }),
      };
      const [count, folders] = await Promise.all([
        countFolders(database.pool, caller.partnerId, filter),
        listFolders(database.pool, caller.partnerId, filter, limits),
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
    handler: async ({ caller, params: { id }, body }) => {
      if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(FolderChange.properties));
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
