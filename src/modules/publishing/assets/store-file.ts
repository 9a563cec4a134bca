import type { Sql } from '../../../database/connection.ts';
import { db, raw } from '../../../database/query-builder.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { newCredential } from '../../../http/credential.ts';
import { Problem } from '../../../problems.ts';
import { type FileStore, newFileName } from '../../../storage/file-store.ts';
import { registerFiles } from '../../../storage/pending-files.ts';
import type { AssetFile } from './asset-store.ts';
import type { CheckedFile } from './file-content.ts';

/** Stores the bytes as a registered file. The row that references it is inserted later. */
export async function storeAssetFile(
  sql: Sql,
  files: FileStore,
  checked: CheckedFile,
  sha256: string,
): Promise<AssetFile> {
  const { kind, content, thumbnail, width = null, height = null } = checked;
  const fileName = newFileName('assets');
  const thumbnailName = thumbnail ? newFileName('thumbnails') : null;
  await registerFiles(sql, namesOf({ fileName, thumbnailName }));
  const { sizeBytes } = await files.put(fileName, content());
  if (thumbnail && thumbnailName) await files.put(thumbnailName, singleChunk(thumbnail));
  const accessToken = await newCredential(sql, 'assetToken');
  return { mimeType: kind.mimeType, sizeBytes, width, height, sha256, fileName, thumbnailName, accessToken };
}

export const namesOf = ({ fileName, thumbnailName }: { fileName: string | null; thumbnailName: string | null }) =>
  [fileName, thumbnailName].filter((name) => name !== null);

async function* singleChunk(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** Throws if the file would exceed the storage limit of the partner. */
export async function requireStorage(sql: Sql, partnerId: number, bytes: number, limitMiB: number): Promise<void> {
  const { used } = await db(sql)
    .selectFrom('assets')
    .select((eb) => raw<number>`coalesce(sum(${eb.ref('sizeBytes')}), 0)::float8`.as('used'))
    .where('partnerId', '=', partnerId)
    .executeTakeFirstOrThrow();
  if (used + bytes <= limitMiB * 2 ** 20) return;
  throw new Problem('STORAGE_FULL', {
    message:
      `The file has ${inMiB(bytes)} MiB. ${inMiB(used)} of ${limitMiB} MiB are used. ` +
      'Delete unused assets, or ask the operator to raise WAYPOST_STORAGE_LIMIT.',
  });
}

/** Locks the partner, so that concurrent uploads are checked one after the other. */
export async function reserveStorage(
  sql: Transaction,
  partnerId: number,
  bytes: number,
  limitMiB: number,
): Promise<void> {
  await db(sql).selectFrom('salesPartners').select('id').where('id', '=', partnerId).forNoKeyUpdate().execute();
  await requireStorage(sql, partnerId, bytes, limitMiB);
}

const inMiB = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
