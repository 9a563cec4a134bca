import type { FastifyRequest } from 'fastify';
import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { publicBaseUrl } from '../../../http/base-url.ts';
import { managesAccount } from '../../accounts/index.ts';
import { findLabels } from '../../catalog/index.ts';
import { type Asset, assetResponse } from './asset.ts';
import { audienceOf } from './asset-targets.ts';

/** Responses contain only the locations, businesses and labels that the caller can access. */
export async function assetResponses(sql: Sql, request: FastifyRequest, assets: readonly Asset[]) {
  const caller = request.caller as Caller;
  const ids = [...new Set(assets.flatMap(({ labelIds }) => labelIds))];
  const found = ids.length > 0 ? await findLabels(sql, caller.partnerId, ids) : [];
  const labels = found.filter(({ adminOnly }) => !adminOnly || managesAccount(caller));
  const audience = await audienceOf(sql, caller);
  const publicUrl = publicBaseUrl(request);
  return assets.map((asset) => assetResponse(asset, { publicUrl, labels, audience }));
}

export async function assetResponseOf(sql: Sql, request: FastifyRequest, asset: Asset) {
  const [response] = await assetResponses(sql, request, [asset]);
  return response as NonNullable<typeof response>;
}
