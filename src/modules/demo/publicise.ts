import type { Config } from '../../config.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import { localBaseUrl } from '../../http/base-url.ts';
import type { Actor } from '../accounts/index.ts';
import { assetAnswer } from '../publishing/index.ts';
import { demoPosts } from './demo-posts.ts';
import { type KeptPicture, makeAssets } from './make-assets.ts';
import type { MadeLocation } from './make-locations.ts';
import { makePosts } from './make-posts.ts';

/** What the businesses show and tell: pictures, and posts that the ordinary jobs publish. Answers how many of each. */
export async function publicise(
  transaction: Transaction,
  config: Config,
  { partner, by }: Actor,
  made: readonly MadeLocation[],
  pictures: readonly KeptPicture[],
): Promise<{ assets: number; posts: number }> {
  const caller: Caller = {
    partnerId: partner.id,
    partnerIdentifier: partner.identifier,
    apiVersion: '',
    planFeatures: [],
    countedAs: by,
    by,
  };
  const businessIds = new Map(made.map(({ plan, location }) => [plan.business.key, location.businessId]));
  const assets = await makeAssets(transaction, caller, businessIds, pictures);
  // Without a port of its own choice nobody knows yet where the pictures can be looked at.
  const address = config.publicUrl ?? (config.port === 0 ? undefined : localBaseUrl(config));
  const photoOf = (picture: string) => {
    const asset = assets.get(picture);
    return asset && address && assetAnswer(asset, { address, labels: [], audience: null }).url;
  };
  const posts = await makePosts(transaction, caller, made, demoPosts(new Date()), photoOf);
  return { assets: assets.size, posts };
}
