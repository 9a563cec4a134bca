import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { notFound, Problem, unknownReference } from '../../../problems.ts';
import { releaseFiles } from '../../../storage/pending-files.ts';
import { actorOf } from '../../accounts/index.ts';
import type { Asset } from './asset.ts';
import { deleteAssets, lockAssetsInFolders } from './asset-store.ts';
import { audienceOf, mayChange } from './asset-targets.ts';
import { inUse, usesOf } from './asset-usage.ts';
import { deepestFolder, type Folder, folderName, tooDeep } from './folder.ts';
import {
  deleteFolders,
  findFolder,
  folderTree,
  insertFolder,
  lockFolders,
  takeTurnsWithFolders,
  updateFolder,
} from './folder-store.ts';
import { namesOf } from './keep-file.ts';

const subject = 'ASSET_FOLDER';

export async function createFolder(
  transaction: Transaction,
  caller: Caller,
  input: { name: string; parentId?: number },
): Promise<Folder> {
  const { partnerId, by: createdBy } = caller;
  const name = folderName(input.name);
  await takeTurnsWithFolders(transaction, partnerId);
  const parent = input.parentId === undefined ? undefined : await parentOf(transaction, partnerId, input.parentId);
  if (parent && parent.path.length >= deepestFolder) throw tooDeep();
  const id = await insertFolder(transaction, { partnerId, createdBy }, { name, parentId: parent?.id ?? null });
  await recordAudit(transaction, actorOf(caller), { action: 'CREATED', subject, subjectId: id, details: { name } });
  return mustFind(transaction, partnerId, id);
}

export async function changeFolder(
  transaction: Transaction,
  caller: Caller,
  id: number,
  patch: { name?: string; parentId?: number | null },
): Promise<Folder> {
  const { partnerId } = caller;
  await takeTurnsWithFolders(transaction, partnerId);
  const folder = await mustFind(transaction, partnerId, id);
  const inner = (await folderTree(transaction, id)).map((one) => one.id);
  await demandOwn(transaction, caller, folder, await lockAssetsInFolders(transaction, inner));
  const name = patch.name === undefined ? folder.name : folderName(patch.name);
  const parentId = patch.parentId === undefined ? folder.parentId : patch.parentId;
  if (parentId !== null && parentId !== folder.parentId) await checkMove(transaction, partnerId, folder, parentId);
  await updateFolder(transaction, id, { name, parentId });
  await recordAudit(transaction, actorOf(caller), { action: 'UPDATED', subject, subjectId: id, details: patch });
  return mustFind(transaction, partnerId, id);
}

async function checkMove(transaction: Transaction, partnerId: number, folder: Folder, parentId: number): Promise<void> {
  const parent = await parentOf(transaction, partnerId, parentId);
  const tree = await folderTree(transaction, folder.id);
  if (tree.some(({ id }) => id === parentId)) {
    throw new Problem('CONFLICT', {
      message: `Folder ${parentId} ("${parent.name}") is or lies in folder ${folder.id}, which cannot be moved into itself. Choose a parent outside of it.`,
    });
  }
  const height = Math.max(...tree.map(({ depth }) => depth)) + 1;
  if (parent.path.length + height > deepestFolder) throw tooDeep();
}

/** Only an empty one, unless everything in it is to go as well. */
export async function deleteFolder(
  transaction: Transaction,
  caller: Caller,
  id: number,
  { recursive, force }: { recursive: boolean; force: boolean },
): Promise<{ foldersCount: number; assetsCount: number }> {
  const { partnerId } = caller;
  await takeTurnsWithFolders(transaction, partnerId);
  const folder = await mustFind(transaction, partnerId, id);
  const folderIds = (await folderTree(transaction, id)).map((inner) => inner.id);
  await lockFolders(transaction, folderIds);
  const assets = await lockAssetsInFolders(transaction, folderIds);
  const isEmpty = folderIds.length === 1 && assets.length === 0;
  if (!isEmpty && !recursive) throw notEmpty(folder);
  await demandOwn(transaction, caller, folder, assets);
  const uses = force ? [] : await usesOf(transaction, partnerId, assets);
  if (uses.length > 0) throw inUse(uses, caller);
  await deleteAssets(
    transaction,
    assets.map((asset) => asset.id),
  );
  await releaseFiles(transaction, assets.flatMap(namesOf));
  await deleteFolders(transaction, folderIds);
  const counts = { foldersCount: folderIds.length, assetsCount: assets.length };
  await recordAudit(transaction, actorOf(caller), {
    action: 'DELETED',
    subject,
    subjectId: id,
    details: { name: folder.name, ...counts },
  });
  return counts;
}

/** Whoever sees a part of the account leaves alone what others keep their assets in. */
async function demandOwn(
  transaction: Transaction,
  caller: Caller,
  { id, name }: Folder,
  assets: readonly Asset[],
): Promise<void> {
  const audience = await audienceOf(transaction, caller);
  if (assets.every((asset) => mayChange(caller, asset, audience))) return;
  throw new Problem('FORBIDDEN', {
    message: `Folder ${id} ("${name}") holds assets that are not only for what you manage. Somebody who sees the whole account can change or delete it.`,
  });
}

async function parentOf(transaction: Transaction, partnerId: number, id: number): Promise<Folder> {
  const folder = await findFolder(transaction, partnerId, id);
  if (!folder) throw unknownReference('parentId', `folder ${id}`);
  return folder;
}

async function mustFind(transaction: Transaction, partnerId: number, id: number): Promise<Folder> {
  const folder = await findFolder(transaction, partnerId, id);
  if (!folder) throw notFound(`folder ${id}`);
  return folder;
}

const notEmpty = ({ id, name }: Folder) =>
  new Problem('CONFLICT', {
    message: `Folder ${id} ("${name}") is not empty. Empty it first, or delete it with everything in it by recursive=true.`,
  });
