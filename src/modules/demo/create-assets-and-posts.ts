import { Readable } from 'node:stream';
import type { Config } from '../../config.ts';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import { localBaseUrl } from '../../http/base-url.ts';
import type { JobContext } from '../../jobs/job.ts';
import { Problem } from '../../problems.ts';
import { incomingFolder, receiveFile, removeReceivedFile } from '../../storage/received-file.ts';
import type { Actor } from '../accounts/index.ts';
import {
  type Asset,
  type AssetFile,
  assetResponse,
  checkFile,
  createAsset,
  createFolder,
  createPost,
  listFolders,
  newTemplate,
  storeAssetFile,
} from '../publishing/index.ts';
import { type BusinessKey, demoBusinesses } from './demo-business.ts';
import { type DemoPicture, type DemoPost, demoPictures, demoPosts } from './demo-posts.ts';
import type { CreatedLocation } from './ensure-locations.ts';

/** The regular jobs publish the posts. Returns the number of assets and posts. */
export async function createAssetsAndPosts(
  transaction: Transaction,
  config: Config,
  { partner, by }: Actor,
  created: readonly CreatedLocation[],
  pictures: readonly StoredPicture[],
): Promise<{ assets: number; posts: number }> {
  const { id: partnerId, identifier: partnerIdentifier } = partner;
  const caller: Caller = { partnerId, partnerIdentifier, apiVersion: '', planFeatures: [], countedAs: by, by };
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

const folderName = 'Demo';

export interface StoredPicture {
  picture: DemoPicture;
  file: AssetFile;
}

/** Renders the pictures and stores them like uploads. Empty if the demo assets already exist. */
export async function storePictures(
  { database, config, files }: Pick<JobContext, 'database' | 'config' | 'files'>,
  partnerId: number,
): Promise<StoredPicture[]> {
  if (await hasAssets(database.pool, partnerId)) return [];
  // Loaded on first use: only demo data needs it.
  const { default: sharp } = await import('sharp');
  const kept: StoredPicture[] = [];
  for (const picture of demoPictures) {
    const bytes = await sharp(Buffer.from(picture.svg)).jpeg({ quality: 85 }).toBuffer();
    const received = await receiveFile(incomingFolder(config.dataDir), Readable.from([bytes]));
    if (received === 'too-large') throw new Error('Unexpected size limit.');
    try {
      const checked = await checkFile(received, { title: picture.fileName, mimeType: 'image/jpeg' });
      kept.push({ picture, file: await storeAssetFile(database.pool, files, checked, received.sha256) });
    } finally {
      await removeReceivedFile(received);
    }
  }
  return kept;
}

async function hasAssets(sql: Sql, partnerId: number): Promise<boolean> {
  const folders = await listFolders(sql, partnerId, { parentId: 0, query: folderName }, { offset: 0, limit: 100 });
  return folders.some(({ name }) => name === folderName);
}

/** Creates an asset per picture, in a folder per business, and a template for all businesses. */
async function createAssets(
  transaction: Transaction,
  caller: Caller,
  businessIds: ReadonlyMap<BusinessKey, number>,
  kept: readonly StoredPicture[],
): Promise<Map<string, Asset>> {
  const created = new Map<string, Asset>();
  if (kept.length === 0) return created;
  const { id: parentId } = await createFolder(transaction, caller, { name: folderName });
  for (const { key, name: folder } of demoBusinesses) {
    const businessId = businessIds.get(key);
    if (businessId === undefined) continue;
    const { id: folderId } = await createFolder(transaction, caller, { name: folder, parentId });
    for (const { picture, file } of kept.filter((one) => one.picture.business === key)) {
      const { name, description } = picture;
      const details = { name, description, folderId, businessIds: [businessId] };
      created.set(picture.fileName, await createAsset(transaction, caller, details, { type: 'IMAGE', file }));
    }
  }
  const content = newTemplate({ type: 'POST', description: 'We are open on the holiday from … to …. See you!' });
  const template = { name: 'Open on a holiday', folderId: parentId };
  await createAsset(transaction, caller, template, { type: 'SOCIAL_POST_TEMPLATE', content });
  return created;
}

const directories = ['GOOGLE', 'FACEBOOK'];

/**
 * Creates each post for half of its matching locations: the others keep the suggestion to post. `photoOf` returns the
 * URL of a picture. Returns the number of posts.
 */
async function createPosts(
  transaction: Transaction,
  caller: Caller,
  created: readonly CreatedLocation[],
  posts: readonly DemoPost[],
  photoOf: (picture: string) => string | undefined,
): Promise<number> {
  let count = 0;
  for (const { business, language, picture, ...content } of posts) {
    const matching = created.filter(
      ({ plan, location }) =>
        plan.business.key === business && plan.language === language && location.status === 'ACTIVE',
    );
    const locationIds = matching.slice(0, Math.ceil(matching.length / 2)).map(({ location }) => location.id);
    const photo = picture === undefined ? undefined : photoOf(picture);
    if (locationIds.length === 0) continue;
    try {
      await createPost(transaction, caller, {
        ...content,
        directories,
        locationIds,
        ...(photo && { photos: [{ photo }] }),
      });
      count += 1;
    } catch (error) {
      // In a small demo, no location may have a listing and a connected account: skip the post.
      if (!(error instanceof Problem)) throw error;
    }
  }
  return count;
}
