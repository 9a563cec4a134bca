import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { publicBaseUrl } from '../../../http/base-url.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import {
  isDescending,
  numberedPageOf,
  numberedPageQuery,
  numberedPageSchema,
  offsetOf,
  orderQuery,
} from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { filterNotFound, notFound } from '../../../problems.ts';
import { readDay } from '../../../values/span.ts';
import { audienceOfLocations, readLocationFilter, readScope } from '../../locations/index.ts';
import {
  type Asset,
  AssetChange,
  AssetName,
  AssetResponse,
  assetResponse,
  assetStatuses,
  assetTypes,
  changedTemplate,
  changeFields,
  detailFields,
  NewTemplateContent,
  newTemplate,
  TemplateContentChange,
} from './asset.ts';
import { type AssetFilter, assetSorts, filterAssets, findAsset, listAssets, visibleAssets } from './asset-store.ts';
import { audienceOf, visibleLabels } from './asset-targets.ts';
import { changeAsset, createAsset, deleteAsset, lockEditableAsset } from './change-asset.ts';
import { requireFolder } from './folder-store.ts';

const idList = { maxItems: 1000 };

const listQuery = Type.Object({
  ...numberedPageQuery,
  folderId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only assets directly in this folder; 0 for the top level',
    }),
  ),
  type: Type.Optional(Type.Array(Type.Enum([...assetTypes]))),
  status: Type.Optional(Type.Array(Type.Enum([...assetStatuses]))),
  query: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words of the name or description. The last word may be a prefix' }),
  ),
  labels: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, description: 'Ids or names of labels' }),
  ),
  locationIds: Type.Optional(Type.Array(Id, { ...idList, description: 'Assets for any of these locations' })),
  businessIds: Type.Optional(Type.Array(Id, { ...idList, description: 'Assets for any of these businesses' })),
  visibleOn: Type.Optional(Type.String({ maxLength: 10, description: 'Only assets that are visible on this day' })),
  sort: Type.Enum([...assetSorts], { default: 'dateCreated' }),
  order: orderQuery('DESC'),
});

export function assetRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/dam/assets',
    summary: 'List digital assets, newest first',
    needs: 'ASSET_READ',
    query: listQuery,
    response: numberedPageSchema('assets', AssetResponse),
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { caller, query } = request;
      const page = { offset: offsetOf(query), limit: query.size };
      const filter = await readAssetFilter(request, query);
      const audience = await audienceOf(database.pool, caller);
      const matching = filterAssets(visibleAssets(database.pool, caller, audience), filter);
      const [count, assets] = await Promise.all([
        countAll(matching),
        listAssets(matching, { sort: query.sort, descending: isDescending(query.order) }, page),
      ]);
      return numberedPageOf('assets', query, count, await assetResponses(database.pool, request, assets));
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/dam/assets/:id',
    summary: 'Get a digital asset',
    needs: 'ASSET_READ',
    params: idParams,
    response: AssetResponse,
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { caller, params } = request;
      const audience = await audienceOf(database.pool, caller);
      const asset = await findAsset(visibleAssets(database.pool, caller, audience), params.id);
      if (!asset) throw notFound(`asset ${params.id}`);
      return assetResponseOf(database.pool, request, asset);
    },
  });

  route(server, {
    method: 'PATCH',
    path: '/api/dam/assets/:id',
    summary: 'Update the details, folder and targets of an asset. The file cannot be replaced',
    needs: 'ASSET_WRITE',
    params: idParams,
    body: AssetChange,
    response: AssetResponse,
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { caller, params, body } = request;
      requireChange(body, AssetChange.properties, request.warnings);
      return database.transaction(async (transaction) => {
        const asset = await lockEditableAsset(transaction, caller, params.id);
        return assetResponseOf(transaction, request, await changeAsset(transaction, caller, asset, body));
      });
    },
  });

  deleteRoute(server, {
    path: '/api/dam/assets/:id',
    summary: 'Delete an asset and its file. Assets in use require force',
    needs: 'ASSET_WRITE',
    params: idParams,
    query: Type.Object({
      force: Type.Boolean({
        default: false,
        description: 'Delete the asset even if posts, locations, content or templates use it',
      }),
    }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    remove: async (transaction, { caller, params, query }) => {
      await deleteAsset(transaction, caller, await lockEditableAsset(transaction, caller, params.id), query);
    },
  });
}

/** Folders, locations and businesses that the caller cannot access are reported as not found. */
async function readAssetFilter(
  { caller, server }: FastifyRequest & { caller: Caller },
  query: Type.Static<typeof listQuery>,
): Promise<AssetFilter> {
  const { pool: sql } = server.services.database;
  const { partnerId } = caller;
  const { labels, locationIds, businessIds, ...filter } = query;
  const { folderId, visibleOn } = filter;
  if (folderId) await requireFolder(sql, partnerId, folderId, (record) => filterNotFound('folderId', record));
  if (locationIds || businessIds) {
    await readScope(sql, caller, { ...(locationIds && { locationIds }), ...(businessIds && { businessIds }) });
  }
  const { labelIds } = labels ? await readLocationFilter(sql, caller, { labels }) : {};
  if (visibleOn !== undefined) readDay('visibleOn', visibleOn);
  return { ...filter, labelIds, audience: locationIds || businessIds ? await audience() : undefined };

  async function audience() {
    const wanted = { ...(locationIds && { ids: locationIds }), ...(businessIds && { businessIds }) };
    const found = await audienceOfLocations(sql, { partnerId, reach: reachOf(caller), filter: wanted });
    return { ...found, businessIds: [...new Set([...found.businessIds, ...(locationIds ? [] : (businessIds ?? []))])] };
  }
}

/** Responses contain only the locations, businesses and labels that the caller can access. */
async function assetResponses(sql: Sql, request: FastifyRequest, assets: readonly Asset[]) {
  const caller = request.caller as Caller;
  const labels = await visibleLabels(sql, caller, assets);
  const audience = await audienceOf(sql, caller);
  const publicUrl = publicBaseUrl(request);
  return assets.map((asset) => assetResponse(asset, { publicUrl, labels, audience }));
}

export async function assetResponseOf(sql: Sql, request: FastifyRequest, asset: Asset) {
  const [response] = await assetResponses(sql, request, [asset]);
  return response as NonNullable<typeof response>;
}

const NewTemplate = Type.Object(
  { name: AssetName, content: NewTemplateContent, ...detailFields },
  { title: 'NewSocialTemplate' },
);
const TemplateChange = Type.Object(
  { ...changeFields, content: Type.Optional(TemplateContentChange) },
  { title: 'SocialTemplateChange' },
);

export function socialTemplateRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/social-templates',
    summary: 'Create a template for social posts. Templates are digital assets',
    needs: 'ASSET_WRITE',
    body: NewTemplate,
    response: AssetResponse,
    problems: ['NOT_FOUND'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { content, ...details } = request.body;
        const source = { type: 'SOCIAL_POST_TEMPLATE' as const, content: newTemplate(content) };
        const asset = await createAsset(transaction, request.caller, details, source);
        return assetResponseOf(transaction, request, asset);
      }),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/social-templates/:id',
    summary: 'Update a template. Absent fields keep their values',
    needs: 'ASSET_WRITE',
    params: idParams,
    body: TemplateChange,
    response: AssetResponse,
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { caller, params, body } = request;
      requireChange(body, TemplateChange.properties, request.warnings);
      const { content, ...patch } = body;
      return database.transaction(async (transaction) => {
        const asset = await lockEditableAsset(transaction, caller, params.id);
        if (asset.content === null) throw notFound(`social template ${params.id}`);
        const next = content ? changedTemplate(asset.content, content) : asset.content;
        return assetResponseOf(transaction, request, await changeAsset(transaction, caller, asset, patch, next));
      });
    },
  });
}
