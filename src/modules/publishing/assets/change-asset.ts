import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { notFound, Problem, unknownReference } from '../../../problems.ts';
import { confirmFiles, releaseFiles } from '../../../storage/pending-files.ts';
import { actorOf } from '../../accounts/index.ts';
import type { Asset, AssetPatch, AssetType } from './asset.ts';
import { assetConditions } from './asset-conditions.ts';
import { blankDetails, changedDetails } from './asset-details.ts';
import { type AssetFile, deleteAssets, insertAsset, lockAsset, updateAsset } from './asset-store.ts';
import { audienceOf, mayChange, readTargets } from './asset-targets.ts';
import { inUse, usesOf } from './asset-usage.ts';
import { findFolder } from './folder-store.ts';
import { namesOf } from './store-file.ts';
import type { TemplateContent } from './template-content.ts';

const subject = 'ASSET';

/** An announced file in the file store, or the content of a template. */
type NewContent =
  | { type: Exclude<AssetType, 'SOCIAL_POST_TEMPLATE'>; file: AssetFile }
  | { type: 'SOCIAL_POST_TEMPLATE'; content: TemplateContent };

export async function createAsset(
  transaction: Transaction,
  caller: Caller,
  { name, ...given }: AssetPatch & { name: string },
  source: NewContent,
): Promise<Asset> {
  const { partnerId, by: createdBy } = caller;
  const details = changedDetails({ ...blankDetails, name }, { ...given, name });
  const targets = await readTargets(transaction, caller, given);
  if (details.folderId !== null) await requireFolder(transaction, partnerId, details.folderId);
  const asset = await insertAsset(transaction, { partnerId, createdBy, ...details, ...targets, ...source }).catch(
    (error) => rethrowMissingFolder(error, details.folderId),
  );
  if ('file' in source) await confirmFiles(transaction, namesOf(source.file));
  await audit(transaction, caller, 'CREATED', asset, { name: asset.name, type: asset.type });
  return asset;
}

/** `content`: the content of a template, if it changes too. */
export async function changeAsset(
  transaction: Transaction,
  caller: Caller,
  asset: Asset,
  patch: AssetPatch,
  content: TemplateContent | null = asset.content,
): Promise<Asset> {
  const details = changedDetails(asset, patch);
  const targets = await readTargets(transaction, caller, patch, asset);
  if (details.folderId !== null && details.folderId !== asset.folderId) {
    await requireFolder(transaction, caller.partnerId, details.folderId);
  }
  const changed = await updateAsset(transaction, asset.id, { ...details, ...targets }, content).catch((error) =>
    rethrowMissingFolder(error, details.folderId),
  );
  const fields = [...Object.keys(patch), ...(content === asset.content ? [] : ['content'])];
  await audit(transaction, caller, 'UPDATED', changed, { fields });
  return changed;
}

/** Assets in use are deleted only with `force`. */
export async function deleteAsset(
  transaction: Transaction,
  caller: Caller,
  asset: Asset,
  { force }: { force: boolean },
): Promise<void> {
  const uses = force ? [] : await usesOf(transaction, caller.partnerId, [asset]);
  if (uses.length > 0) throw inUse(uses, caller);
  await deleteAssets(transaction, [asset.id]);
  await releaseFiles(transaction, namesOf(asset));
  await audit(transaction, caller, 'DELETED', asset, { name: asset.name });
}

/** Locks the asset. Throws if the caller cannot see or change it. */
export async function lockEditableAsset(transaction: Transaction, caller: Caller, id: number): Promise<Asset> {
  const audience = await audienceOf(transaction, caller);
  const asset = await lockAsset(transaction, assetConditions(caller, audience, new Date()), id);
  if (!asset) throw notFound(`asset ${id}`);
  if (mayChange(caller, asset, audience)) return asset;
  throw new Problem('FORBIDDEN', {
    message: `Asset ${id} is also for locations that you do not manage. A user with access to the whole account can change it.`,
  });
}

async function requireFolder(transaction: Transaction, partnerId: number, id: number): Promise<void> {
  if (!(await findFolder(transaction, partnerId, id))) throw unknownReference('folderId', `folder ${id}`);
}

/** The folder was deleted concurrently. */
function rethrowMissingFolder(error: unknown, folderId: number | null): never {
  const { code, constraint } = error as { code?: string; constraint?: string };
  throw code === '23503' && constraint === 'assets_folder_id_fkey'
    ? unknownReference('folderId', `folder ${folderId}`)
    : error;
}

async function audit(
  transaction: Transaction,
  caller: Caller,
  action: string,
  { id }: Asset,
  details: Record<string, unknown>,
): Promise<void> {
  await recordAudit(transaction, actorOf(caller), { action, subject, subjectId: id, details });
}
