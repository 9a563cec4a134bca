import type { Config } from '../../config.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import { localBaseUrl } from '../../http/base-url.ts';
import type { Actor } from '../accounts/index.ts';
import { assetResponse } from '../publishing/index.ts';
import { createAssets, type StoredPicture } from './create-assets.ts';
import { createPosts } from './create-posts.ts';
import { demoPosts } from './demo-posts.ts';
import type { CreatedLocation } from './ensure-locations.ts';

/** The regular jobs publish the posts. Returns the number of assets and posts. */
export async function createAssetsAndPosts(
  transaction: Transaction,
  config: Config,
  { partner, by }: Actor,
  created: readonly CreatedLocation[],
  pictures: readonly StoredPicture[],
): Promise<{ assets: number; posts: number }> {
  const caller: Caller = {
    partnerId: partner.id,
    partnerIdentifier: partner.identifier,
    apiVersion: '',
    planFeatures: [],
    countedAs: by,
    by,
  };
  const businessIds = new Map(created.map(({ plan, location }) => [plan.business.key, location.businessId]));
  const assets = await createAssets(transaction, caller, businessIds, pictures);
  // With port 0 the public URL of the pictures is not known yet.
  const address = config.publicUrl ?? (config.port === 0 ? undefined : localBaseUrl(config));
  const photoOf = (picture: string) => {
    const asset = assets.get(picture);
    return asset && address && assetResponse(asset, { publicUrl: address, labels: [], audience: null }).url;
  };
  const posts = await createPosts(transaction, caller, created, demoPosts(new Date()), photoOf);
  return { assets: assets.size, posts };
}
