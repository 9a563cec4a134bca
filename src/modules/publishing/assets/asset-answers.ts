import type { FastifyRequest } from 'fastify';
import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { publicBaseUrl } from '../../../http/base-url.ts';
import { managesAccount } from '../../accounts/index.ts';
import { findLabels } from '../../catalog/index.ts';
import { type Asset, assetAnswer } from './asset.ts';
import { audienceOf } from './asset-targets.ts';

/**
 * Assets as they are answered to whoever asks: with addresses that lead here, and of those that they are for, the
 * locations, businesses and labels that he may see.
 */
export async function assetAnswers(sql: Sql, request: FastifyRequest, assets: readonly Asset[]) {
  const caller = request.caller as Caller;
  const ids = [...new Set(assets.flatMap(({ labelIds }) => labelIds))];
  const found = ids.length > 0 ? await findLabels(sql, caller.partnerId, ids) : [];
  const labels = found.filter(({ adminOnly }) => !adminOnly || managesAccount(caller));
  const audience = await audienceOf(sql, caller);
  const address = publicBaseUrl(request);
  return assets.map((asset) => assetAnswer(asset, { address, labels, audience }));
}

export async function answerOfAsset(sql: Sql, request: FastifyRequest, asset: Asset) {
  const [answer] = await assetAnswers(sql, request, [asset]);
  return answer as NonNullable<typeof answer>;
}
