import { Readable } from 'node:stream';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, bigints, db, raw } from '../../../database/query-builder.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { newCredential } from '../../../http/credential.ts';
import { type FieldError, notFound, Problem, unknownReference } from '../../../problems.ts';
import { type FileStore, newFileName } from '../../../storage/file-store.ts';
import { confirmFiles, registerFiles, releaseFiles } from '../../../storage/pending-files.ts';
import { normalizeText } from '../../../text.ts';
import { readDay } from '../../../values/span.ts';
import { actorOf, lockPartner } from '../../accounts/index.ts';
import { collectionsWithMedia } from '../../catalog/index.ts';
import { locationsWithMedia } from '../../locations/index.ts';
import { postsWithMedia } from '../social-posts/social-post-store.ts';
import type { Asset, AssetDetails, AssetPatch, TemplateContent } from './asset.ts';
import {
  type AssetFile,
  type AssetSource,
  deleteAssets,
  findAsset,
  insertAsset,
  templatesWithMedia,
  updateAsset,
  visibleAssets,
} from './asset-store.ts';
import { audienceOf, hasFullAccess, mayChange, readTargets } from './asset-targets.ts';
import type { CheckedFile } from './file-content.ts';
import { nameError } from './file-kind.ts';
import { requireFolder } from './folder-store.ts';

const subject = 'ASSET';

export async function createAsset(
  transaction: Transaction,
  caller: Caller,
  { name, ...given }: AssetPatch & { name: string },
  source: AssetSource,
): Promise<Asset> {
  const { partnerId, by: createdBy } = caller;
  const details = changedDetails({ ...defaultDetails, name }, { ...given, name });
  const targets = await readTargets(transaction, caller, given);
  if (details.folderId !== null) await requireFolder(transaction, partnerId, details.folderId, missingFolder);
  const asset = await insertAsset(transaction, { partnerId, createdBy, ...details, ...targets, ...source }).catch(
    (error) => rethrowMissingFolder(error, details.folderId),
  );
  if (source.file) await confirmFiles(transaction, namesOf(source.file));
  await recordAudit(transaction, actorOf(caller), 'CREATED', subject, asset.id, { name: asset.name, type: asset.type });
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
    await requireFolder(transaction, caller.partnerId, details.folderId, missingFolder);
  }
  const changed = await updateAsset(transaction, asset.id, { ...details, ...targets }, content).catch((error) =>
    rethrowMissingFolder(error, details.folderId),
  );
  const fields = [...Object.keys(patch), ...(content === asset.content ? [] : ['content'])];
  await recordAudit(transaction, actorOf(caller), 'UPDATED', subject, changed.id, { fields });
  return changed;
}

/** Assets in use are deleted only with `force`. */
export async function deleteAsset(
  transaction: Transaction,
  caller: Caller,
  asset: Asset,
  { force }: { force: boolean },
): Promise<void> {
  if (!force) await requireUnused(transaction, caller, [asset]);
  await deleteWithFiles(transaction, [asset]);
  await recordAudit(transaction, actorOf(caller), 'DELETED', subject, asset.id, { name: asset.name });
}

export async function deleteWithFiles(transaction: Transaction, assets: readonly Asset[]): Promise<void> {
  const ids = assets.map(({ id }) => id);
  await deleteAssets(transaction, ids);
  await releaseFiles(transaction, assets.flatMap(namesOf));
}

/** Locks the asset. Throws if the caller cannot see or change it. */
export async function lockEditableAsset(transaction: Transaction, caller: Caller, id: number): Promise<Asset> {
  const audience = await audienceOf(transaction, caller);
  const asset = await findAsset(visibleAssets(transaction, caller, audience), id, 'for update');
  if (!asset) throw notFound(`asset ${id}`);
  if (mayChange(caller, asset, audience)) return asset;
  throw new Problem('FORBIDDEN', {
    message: `Asset ${id} is also for locations that you do not manage. A user with access to the whole account can change it.`,
  });
}

/** The folder was deleted concurrently. */
function rethrowMissingFolder(error: unknown, folderId: number | null): never {
  const { code, constraint } = error as { code?: string; constraint?: string };
  throw code === '23503' && constraint === 'assets_folder_id_fkey' ? missingFolder(`folder ${folderId}`) : error;
}

const missingFolder = (record: string) => unknownReference('folderId', record);

const ownDetails = ['name', 'description', 'status', 'folderId', 'startDate', 'endDate'] as const;
type OwnDetails = Pick<AssetDetails, (typeof ownDetails)[number]>;

const defaultDetails: Omit<OwnDetails, 'name'> = {
  description: null,
  status: 'VISIBLE',
  folderId: null,
  startDate: null,
  endDate: null,
};

/** Applies a patch; null deletes a field. Targets are handled by readTargets. */
function changedDetails(before: OwnDetails, patch: AssetPatch): OwnDetails {
  if (patch.startDate) readDay('startDate', patch.startDate);
  if (patch.endDate) readDay('endDate', patch.endDate);
  const values = ownDetails.map((field) => [field, patch[field] === undefined ? before[field] : patch[field]]);
  const next = Object.fromEntries(values) as OwnDetails;
  next.name = normalizeText(next.name);
  const errors = [nameError('name', next.name), orderError(next)].filter((error) => error !== undefined);
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return next;
}

function orderError({ startDate, endDate }: OwnDetails): FieldError | undefined {
  if (startDate === null || endDate === null || startDate <= endDate) return undefined;
  const message = `endDate (${endDate}) must not be before startDate (${startDate}).`;
  return { field: 'endDate', rule: 'order', message };
}

/** Part of every URL of an asset. */
const filePath = '/dam/';
const tokenPattern = '/dam/(?:files|thumbnails)/((?:c[0-9]{1,3}~)?[A-Za-z0-9_-]{32})';
const maxNamed = 5;
const maxListed = 100;

/** Resources that use assets, by type. */
const usedIn = {
  SOCIAL_POST: { noun: 'social post', find: postsWithMedia },
  LOCATION: { noun: 'location', find: locationsWithMedia },
  CONTENT_COLLECTION: { noun: 'content collection', find: collectionsWithMedia },
  SOCIAL_TEMPLATE: { noun: 'social template', find: templatesWithMedia },
};

interface AssetUse {
  asset: Asset;
  type: keyof typeof usedIn;
  id: number;
}

interface AssetUses {
  count: number;
  /** At most `maxListed` of each type. */
  uses: AssetUse[];
}

/** Throws if posts that are or can be published, locations, content collections or other templates use the assets. */
export async function requireUnused(transaction: Transaction, caller: Caller, assets: readonly Asset[]): Promise<void> {
  const uses = await usesOf(transaction, caller.partnerId, assets);
  if (uses.count > 0) throw inUse(uses, caller);
}

/** The database finds the tokens: a partner can have hundreds of thousands of locations with assets. */
export async function usesOf(sql: Sql, partnerId: number, assets: readonly Asset[]): Promise<AssetUses> {
  const byToken = new Map(assets.flatMap((asset) => (asset.accessToken ? [[asset.accessToken, asset] as const] : [])));
  const tokens = [...byToken.keys()];
  const found: AssetUses = { count: 0, uses: [] };
  if (tokens.length === 0) return found;
  const part = tokens.length === 1 && tokens[0] ? tokens[0] : filePath;
  const deleted = assets.map(({ id }) => id);
  for (const type of Object.keys(usedIn) as (keyof typeof usedIn)[]) {
    const resources = raw<{ id: number; media: string }>`${usedIn[type].find(sql, partnerId, part)}`;
    const rows = await db(sql)
      .selectFrom(resources.as('resource'))
      .crossJoinLateral(
        raw<{ token: string }>`(select distinct match[1] as token
          from regexp_matches(resource.media, ${tokenPattern}, 'g') as match)`.as('used'),
      )
      .select(['resource.id', 'used.token', raw<number>`count(*) over ()`.as('count')])
      .where('used.token', '=', anyOf(tokens, 'text'))
      .$if(type === 'SOCIAL_TEMPLATE', (used) => used.where(raw<boolean>`resource.id <> all (${bigints(deleted)})`))
      .orderBy('resource.id')
      .limit(maxListed)
      .execute();
    found.count += rows[0]?.count ?? 0;
    for (const { id, token } of rows) {
      const asset = byToken.get(token);
      if (asset) found.uses.push({ asset, type, id });
    }
  }
  return found;
}

/** Callers with partial access do not see the ids of the resources. */
function inUse({ uses, count }: AssetUses, caller: Caller): Problem {
  const showsIds = hasFullAccess(caller);
  const named = uses.slice(0, maxNamed).map(({ asset, type, id }) => {
    const { noun } = usedIn[type];
    return `asset ${asset.id} ("${asset.name}") by ${showsIds ? `${noun} ${id}` : `a ${noun}`}`;
  });
  const rest = count > maxNamed ? ` and ${count - maxNamed} more` : '';
  return new Problem('CONFLICT', {
    message: `In use: ${named.join(', ')}${rest}. Remove it there first, or delete it with force=true, which breaks its URL.`,
    details: {
      uses: uses
        .slice(0, maxListed)
        .map(({ asset, type, id }) => ({ assetId: asset.id, assetName: asset.name, type, ...(showsIds && { id }) })),
      usesCount: count,
    },
  });
}

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
  if (thumbnail && thumbnailName) await files.put(thumbnailName, Readable.from([thumbnail]));
  const accessToken = await newCredential(sql, 'assetToken');
  return { mimeType: kind.mimeType, sizeBytes, width, height, sha256, fileName, thumbnailName, accessToken };
}

export const namesOf = ({ fileName, thumbnailName }: { fileName: string | null; thumbnailName: string | null }) =>
  [fileName, thumbnailName].filter((name) => name !== null);

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
  await lockPartner(sql, partnerId);
  await requireStorage(sql, partnerId, bytes, limitMiB);
}

const inMiB = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
