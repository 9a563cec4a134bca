import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { nothingToChange } from '../../../http/validation.ts';
import { notFound } from '../../../problems.ts';
import { AssetName, AssetResponse, changeFields, detailFields } from './asset.ts';
import { assetResponseOf } from './asset-routes.ts';
import { changeAsset, createAsset, lockEditableAsset } from './change-asset.ts';
import { changedTemplate, NewTemplateContent, newTemplate, TemplateContentChange } from './template-content.ts';

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
      if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(TemplateChange.properties));
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
