import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Problem } from '../../../problems.ts';
import { collectionsWithMedia } from '../../catalog/index.ts';
import { locationsWithMedia } from '../../locations/index.ts';
import { postsWithMedia } from '../social-posts/social-post-store.ts';
import type { Asset } from './asset.ts';
import { templatesWithMedia } from './asset-store.ts';
import { hasFullAccess } from './asset-targets.ts';

/** Part of every URL of an asset. */
const filePath = '/dam/';
const tokenPattern = /\/dam\/(?:files|thumbnails)\/([\w-]{32})/g;
const maxNamed = 5;

interface AssetUse {
  asset: Asset;
  /** Type of the resource that uses the asset. */
  noun: string;
  id: number;
}

/** Uses in posts that are or can be published, locations, content collections and other templates. */
export async function usesOf(sql: Sql, partnerId: number, assets: readonly Asset[]): Promise<AssetUse[]> {
  const byToken = new Map(assets.flatMap((asset) => (asset.accessToken ? [[asset.accessToken, asset] as const] : [])));
  if (byToken.size === 0) return [];
  const deletedIds = new Set(assets.map(({ id }) => id));
  const posts = await postsWithMedia(sql, partnerId, filePath);
  const locations = await locationsWithMedia(sql, partnerId, filePath);
  const collections = await collectionsWithMedia(sql, partnerId, filePath);
  const templates = (await templatesWithMedia(sql, partnerId, filePath)).filter(({ id }) => !deletedIds.has(id));
  const users = [
    ...posts.map((post) => ({ noun: 'social post', ...post })),
    ...locations.map((location) => ({ noun: 'location', ...location })),
    ...collections.map((collection) => ({ noun: 'content collection', ...collection })),
    ...templates.map((template) => ({ noun: 'social template', ...template })),
  ];
  return users.flatMap(({ noun, id, media }) =>
    [...new Set(tokensIn(media))].flatMap((token) => {
      const asset = byToken.get(token);
      return asset ? [{ asset, noun, id }] : [];
    }),
  );
}

const tokensIn = (media: string) => [...media.matchAll(tokenPattern)].map(([, token = '']) => token);

/** Callers with partial access do not see the ids of the resources. */
export function inUse(uses: readonly AssetUse[], caller: Caller): Problem {
  const nameOf = ({ noun, id }: AssetUse) => (hasFullAccess(caller) ? `${noun} ${id}` : `a ${noun}`);
  const named = uses.slice(0, maxNamed).map((use) => `asset ${use.asset.id} ("${use.asset.name}") by ${nameOf(use)}`);
  const rest = uses.length > maxNamed ? ` and ${uses.length - maxNamed} more` : '';
  return new Problem('CONFLICT', {
    message: `In use: ${named.join(', ')}${rest}. Remove it there first, or delete it with force=true, which breaks its URL.`,
  });
}
