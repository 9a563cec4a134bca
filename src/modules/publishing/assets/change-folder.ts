import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Problem, unknownReference } from '../../../problems.ts';
import { releaseFiles } from '../../../storage/pending-files.ts';
import { actorOf } from '../../accounts/index.ts';
import type { Asset } from './asset.ts';
import { deleteAssets, lockAssetsInFolders } from './asset-store.ts';
import { audienceOf, mayChange } from './asset-targets.ts';
import { inUse, usesOf } from './change-asset.ts';
import { type Folder, folderName, maxFolderDepth, tooDeep } from './folder.ts';
import {
  deleteFolders,
  folderTree,
  insertFolder,
  lockFolders,
  lockFolderTree,
  requireFolder,
  updateFolder,
} from './folder-store.ts';
import { namesOf } from './store-file.ts';

const subject = 'ASSET_FOLDER';

export async function createFolder(
  transaction: Transaction,
  caller: Caller,
  input: { name: string; parentId?: number },
): Promise<Folder> {
  const { partnerId, by: createdBy } = caller;
  const name = folderName(input.name);
  await lockFolderTree(transaction, partnerId);
  const parent = input.parentId === undefined ? undefined : await requireParent(transaction, partnerId, input.parentId);
  if (parent && parent.path.length >= maxFolderDepth) throw tooDeep();
  const id = await insertFolder(transaction, { partnerId, createdBy }, { name, parentId: parent?.id ?? null });
  await recordAudit(transaction, actorOf(caller), 'CREATED', subject, id, { name });
  return requireFolder(transaction, partnerId, id);
}

export async function changeFolder(
  transaction: Transaction,
  caller: Caller,
  id: number,
  patch: { name?: string; parentId?: number | null },
): Promise<Folder> {
  const { partnerId } = caller;
  await lockFolderTree(transaction, partnerId);
  const folder = await requireFolder(transaction, partnerId, id);
  const folderIds = (await folderTree(transaction, id)).map((subfolder) => subfolder.id);
  await requireOwnAssets(transaction, caller, folder, await lockAssetsInFolders(transaction, folderIds));
  const name = patch.name === undefined ? folder.name : folderName(patch.name);
  const parentId = patch.parentId === undefined ? folder.parentId : patch.parentId;
  if (parentId !== null && parentId !== folder.parentId) await checkMove(transaction, partnerId, folder, parentId);
  await updateFolder(transaction, id, { name, parentId });
  await recordAudit(transaction, actorOf(caller), 'UPDATED', subject, id, patch);
  return requireFolder(transaction, partnerId, id);
}

async function checkMove(transaction: Transaction, partnerId: number, folder: Folder, parentId: number): Promise<void> {
  const parent = await requireParent(transaction, partnerId, parentId);
  const tree = await folderTree(transaction, folder.id);
  if (tree.some(({ id }) => id === parentId)) {
    throw new Problem('CONFLICT', {
      message: `Folder ${parentId} ("${parent.name}") is folder ${folder.id} or a subfolder of it. A folder cannot be moved into itself. Choose another parent.`,
    });
  }
  const height = Math.max(...tree.map(({ depth }) => depth)) + 1;
  if (parent.path.length + height > maxFolderDepth) throw tooDeep();
}

/** Non-empty folders require `recursive`. */
export async function deleteFolder(
  transaction: Transaction,
  caller: Caller,
  id: number,
  { recursive, force }: { recursive: boolean; force: boolean },
): Promise<{ foldersCount: number; assetsCount: number }> {
  const { partnerId } = caller;
  await lockFolderTree(transaction, partnerId);
  const folder = await requireFolder(transaction, partnerId, id);
  const folderIds = (await folderTree(transaction, id)).map((subfolder) => subfolder.id);
  await lockFolders(transaction, folderIds);
  const assets = await lockAssetsInFolders(transaction, folderIds);
  const isEmpty = folderIds.length === 1 && assets.length === 0;
  if (!isEmpty && !recursive) throw notEmpty(folder);
  await requireOwnAssets(transaction, caller, folder, assets);
  const uses = force ? [] : await usesOf(transaction, partnerId, assets);
  if (uses.length > 0) throw inUse(uses, caller);
  await deleteAssets(
    transaction,
    assets.map((asset) => asset.id),
  );
  await releaseFiles(transaction, assets.flatMap(namesOf));
  await deleteFolders(transaction, folderIds);
  const counts = { foldersCount: folderIds.length, assetsCount: assets.length };
  await recordAudit(transaction, actorOf(caller), 'DELETED', subject, id, { name: folder.name, ...counts });
  return counts;
}

/** A caller with partial access cannot change folders that contain assets for other locations. */
async function requireOwnAssets(
  transaction: Transaction,
  caller: Caller,
  { id, name }: Folder,
  assets: readonly Asset[],
): Promise<void> {
  const audience = await audienceOf(transaction, caller);
  if (assets.every((asset) => mayChange(caller, asset, audience))) return;
  throw new Problem('FORBIDDEN', {
    message: `Folder ${id} ("${name}") contains assets for locations that you do not manage. A user with access to the whole account can change or delete it.`,
  });
}

const requireParent = (transaction: Transaction, partnerId: number, id: number): Promise<Folder> =>
  requireFolder(transaction, partnerId, id, (what) => unknownReference('parentId', what));

const notEmpty = ({ id, name }: Folder) =>
  new Problem('CONFLICT', {
    message: `Folder ${id} ("${name}") is not empty. Empty it first, or delete it and its content with recursive=true.`,
  });
