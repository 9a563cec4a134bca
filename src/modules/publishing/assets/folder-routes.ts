import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { numberedPageOf, numberedPageQuery, numberedPageSchema, offsetOf } from '../../../http/numbered-page.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { nothingToChange } from '../../../http/validation.ts';
import { notFound } from '../../../problems.ts';
import { assetConditions } from './asset-conditions.ts';
import { countAssetsByFolder } from './asset-store.ts';
import { audienceOf, seesNothing } from './asset-targets.ts';
import { changeFolder, createFolder, deleteFolder } from './change-folder.ts';
import { type Folder, FolderAnswer, FolderChange, folderAnswer, NewFolder } from './folder.ts';
import { countFolders, findFolder, listFolders } from './folder-store.ts';

export function folderRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/dam/folders',
    summary: 'The folders of digital assets, by name',
    needs: 'ASSET_READ',
    query: Type.Object({
      ...numberedPageQuery,
      parentId: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Only those that lie in this folder itself; 0 for the top level',
        }),
      ),
      query: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name' })),
    }),
    response: numberedPageSchema('folders', FolderAnswer),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      const { parentId, query: part } = query;
      const limits = { offset: offsetOf(query), limit: query.size };
      if (parentId) await mustFind(database.pool, caller, parentId);
      if (seesNothing(caller)) return numberedPageOf('folders', query, 0, []);
      const wanted = {
        ...(parentId !== undefined && { parentId: parentId === 0 ? null : parentId }),
        ...(part !== undefined && { query: part }),
      };
      const [count, folders] = await Promise.all([
        countFolders(database.pool, caller.partnerId, wanted),
        listFolders(database.pool, caller.partnerId, wanted, limits),
      ]);
      return numberedPageOf('folders', query, count, await answersOf(database.pool, caller, folders));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/dam/folders',
    summary: 'Create a folder, at the top level or in another one',
    needs: 'ASSET_WRITE',
    body: NewFolder,
    response: FolderAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) =>
        answerOf(transaction, request.caller, await createFolder(transaction, request.caller, request.body)),
      ),
  });

  route(server, {
    method: 'GET',
    path: '/api/dam/folders/:id',
    summary: 'A folder, where it lies and how much is in it',
    needs: 'ASSET_READ',
    params: idParams,
    response: FolderAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      answerOf(database.pool, caller, await mustFind(database.pool, caller, id)),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/dam/folders/:id',
    summary: 'Rename a folder, or move it with everything in it; parentId null moves it to the top level',
    needs: 'ASSET_WRITE',
    params: idParams,
    body: FolderChange,
    response: FolderAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id }, body }) => {
      if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(FolderChange.properties));
      return database.transaction(async (transaction) =>
        answerOf(transaction, caller, await changeFolder(transaction, caller, id, body)),
      );
    },
  });

  route(server, {
    method: 'DELETE',
    path: '/api/dam/folders/:id',
    summary: 'Delete an empty folder, or one with everything in it',
    needs: 'ASSET_WRITE',
    params: idParams,
    query: Type.Object({
      recursive: Type.Boolean({ default: false, description: 'Whether the folders and assets in it go as well' }),
      force: Type.Boolean({
        default: false,
        description: 'Also when posts, locations, content or templates show the assets',
      }),
    }),
    response: Type.Object({
      success: Type.Literal(true),
      foldersCount: Type.Integer({ description: 'How many folders are gone', examples: [1] }),
      assetsCount: Type.Integer({ description: 'How many assets are gone' }),
    }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id }, query }) => {
      const counts = await database.transaction((transaction) => deleteFolder(transaction, caller, id, query));
      return { success: true as const, ...counts };
    },
  });
}

async function mustFind(sql: Sql, caller: Caller, id: number): Promise<Folder> {
  const folder = seesNothing(caller) ? undefined : await findFolder(sql, caller.partnerId, id);
  if (!folder) throw notFound(`folder ${id}`);
  return folder;
}

async function answersOf(sql: Sql, caller: Caller, folders: readonly Folder[]) {
  const conditions = assetConditions(caller, await audienceOf(sql, caller), new Date());
  const counts = await countAssetsByFolder(
    sql,
    conditions,
    folders.map(({ id }) => id),
  );
  return folders.map((folder) => folderAnswer(folder, counts.get(folder.id) ?? 0));
}

async function answerOf(sql: Sql, caller: Caller, folder: Folder) {
  const [answer] = await answersOf(sql, caller, [folder]);
  return answer as NonNullable<typeof answer>;
}
