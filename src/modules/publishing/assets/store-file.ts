import { randomBytes } from 'node:crypto';
import type { Sql } from '../../../database/connection.ts';
import { type FileStore, newFileName } from '../../../storage/file-store.ts';
import { registerFiles } from '../../../storage/pending-files.ts';
import type { AssetFile } from './asset-store.ts';
import type { CheckedFile } from './file-content.ts';

const tokenBytes = 24;

/** Stores the bytes as an announced file; the row that references them is written later. */
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
  if (thumbnail && thumbnailName) await files.put(thumbnailName, once(thumbnail));
  const accessToken = randomBytes(tokenBytes).toString('base64url');
  return { mimeType: kind.mimeType, sizeBytes, width, height, sha256, fileName, thumbnailName, accessToken };
}

export const namesOf = ({ fileName, thumbnailName }: { fileName: string | null; thumbnailName: string | null }) =>
  [fileName, thumbnailName].filter((name) => name !== null);

async function* once(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}
