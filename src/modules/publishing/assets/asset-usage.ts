import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Problem } from '../../../problems.ts';
import { collectionsWithMedia } from '../../catalog/index.ts';
import { locationsWithMedia } from '../../locations/index.ts';
import { postsWithMedia } from '../social-posts/post-media-store.ts';
import type { Asset } from './asset.ts';
import { templatesWithMedia } from './asset-store.ts';
import { seesEverything } from './asset-targets.ts';

/** What every address of an asset's file or thumbnail has in it. */
const filePath = '/dam/';
const tokenPattern = /\/dam\/(?:files|thumbnails)\/([\w-]{32})/g;
const mostNamed = 5;

interface Use {
  asset: Asset;
  /** What shows it. */
  noun: string;
  id: number;
}

/**
 * Where the files of these assets are shown: in posts that are or can be published, on locations, in collections of
 * content, in other templates.
 */
export async function usesOf(sql: Sql, partnerId: number, assets: readonly Asset[]): Promise<Use[]> {
  const byToken = new Map(assets.flatMap((asset) => (asset.accessToken ? [[asset.accessToken, asset] as const] : [])));
  if (byToken.size === 0) return [];
  const gone = new Set(assets.map(({ id }) => id));
  const posts = await postsWithMedia(sql, partnerId, filePath);
  const locations = await locationsWithMedia(sql, partnerId, filePath);
  const collections = await collectionsWithMedia(sql, partnerId, filePath);
  const templates = (await templatesWithMedia(sql, partnerId, filePath)).filter(({ id }) => !gone.has(id));
  const places = [
    ...posts.map((post) => ({ noun: 'social post', ...post })),
    ...locations.map((location) => ({ noun: 'location', ...location })),
    ...collections.map((collection) => ({ noun: 'content collection', ...collection })),
    ...templates.map((template) => ({ noun: 'social template', ...template })),
  ];
  return places.flatMap(({ noun, id, media }) =>
    [...new Set(tokensIn(media))].flatMap((token) => {
      const asset = byToken.get(token);
      return asset ? [{ asset, noun, id }] : [];
    }),
  );
}

const tokensIn = (media: string) => [...media.matchAll(tokenPattern)].map(([, token = '']) => token);

/** For a deletion that was not asked to go ahead all the same. Whoever sees a part is not told which ones there are. */
export function inUse(uses: readonly Use[], caller: Caller): Problem {
  const nameOf = ({ noun, id }: Use) => (seesEverything(caller) ? `${noun} ${id}` : `a ${noun}`);
  const named = uses.slice(0, mostNamed).map((use) => `asset ${use.asset.id} ("${use.asset.name}") by ${nameOf(use)}`);
  const rest = uses.length > mostNamed ? ` and ${uses.length - mostNamed} more` : '';
  return new Problem('CONFLICT', {
    message: `In use: ${named.join(', ')}${rest}. Take it out there first, or delete with force=true; its address then leads nowhere.`,
  });
}
