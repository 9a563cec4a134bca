import sharp from 'sharp';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import type { JobContext } from '../../jobs/job.ts';
import { incomingFolder, receiveFile, removeReceivedFile } from '../../storage/received-file.ts';
import {
  type Asset,
  type AssetFile,
  checkFile,
  createAsset,
  createFolder,
  listFolders,
  newTemplate,
  storeAssetFile,
} from '../publishing/index.ts';
import { type BusinessKey, demoBusinesses } from './demo-business.ts';
import { type DemoPicture, demoPictures } from './demo-pictures.ts';

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
  const kept: StoredPicture[] = [];
  for (const picture of demoPictures) {
    const bytes = await sharp(Buffer.from(picture.svg)).jpeg({ quality: 85 }).toBuffer();
    const received = await receiveFile(incomingFolder(config.dataDir), once(bytes));
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
  const folders = await listFolders(sql, partnerId, { parentId: null, query: folderName }, { offset: 0, limit: 100 });
  return folders.some(({ name }) => name === folderName);
}

async function* once(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** Creates an asset per picture, in a folder per business, and a template for all businesses. */
export async function createAssets(
  transaction: Transaction,
  caller: Caller,
  businessIds: ReadonlyMap<BusinessKey, number>,
  kept: readonly StoredPicture[],
): Promise<Map<string, Asset>> {
  const created = new Map<string, Asset>();
  if (kept.length === 0) return created;
  const { id: parentId } = await createFolder(transaction, caller, { name: folderName });
  for (const { key, name } of demoBusinesses) {
    const businessId = businessIds.get(key);
    if (businessId === undefined) continue;
    const { id: folderId } = await createFolder(transaction, caller, { name, parentId });
    for (const { picture, file } of kept.filter((one) => one.picture.business === key)) {
      const details = {
        name: picture.name,
        description: picture.description,
        folderId,
        businessIds: [businessId],
      };
      created.set(picture.fileName, await createAsset(transaction, caller, details, { type: 'IMAGE', file }));
    }
  }
  const content = newTemplate({ type: 'POST', description: 'We are open on the holiday from … to …. See you!' });
  const template = { name: 'Open on a holiday', folderId: parentId };
  await createAsset(transaction, caller, template, { type: 'SOCIAL_POST_TEMPLATE', content });
  return created;
}
