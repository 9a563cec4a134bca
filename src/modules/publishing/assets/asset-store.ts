import { type ExpressionBuilder, expressionBuilder, type NotNull } from 'kysely';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, bigints, db, inOrder, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { hasPermission } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { fieldNames } from '../../../http/record-response.ts';
import { dayOf } from '../../../values/span.ts';
import { searchExpression } from '../../locations/index.ts';
import {
  type Asset,
  type AssetDetails,
  AssetResponse,
  type AssetStatus,
  type AssetType,
  type TemplateContent,
} from './asset.ts';
import { type Audience, onlyTargetCheck } from './asset-targets.ts';

export interface AssetFilter {
  /** 0: the top level. */
  folderId?: number;
  type?: readonly AssetType[];
  status?: readonly AssetStatus[];
  query?: string;
  visibleOn?: string;
  labelIds?: readonly number[] | undefined;
  audience?: Audience | undefined;
}

const assetsOf = (sql: Sql, partnerId: number) => db(sql).selectFrom('assets').where('partnerId', '=', partnerId);
type Assets = ReturnType<typeof assetsOf>;

/** The assets that the caller can see. */
export function visibleAssets(sql: Sql, caller: Caller, audience: Audience | null): Assets {
  let assets = assetsOf(sql, caller.partnerId);
  if (audience) assets = targetedAt(assets, audience);
  // Callers who can write assets also see hidden, future and expired ones.
  return hasPermission(caller, 'ASSET_WRITE')
    ? assets
    : visibleOn(assets.where('status', '=', 'VISIBLE'), dayOf(new Date()));
}

export function filterAssets(given: Assets, filter: AssetFilter): Assets {
  const { folderId, type, status, query, labelIds, audience, visibleOn: day } = filter;
  let assets = given;
  if (folderId === 0) assets = assets.where('folderId', 'is', null);
  else if (folderId !== undefined) assets = assets.where('folderId', '=', folderId);
  if (type) assets = assets.where('type', '=', anyOf(type, 'text'));
  if (status) assets = assets.where('status', '=', anyOf(status, 'text'));
  if (query !== undefined) {
    assets = assets.where('search', '@@', raw<string>`to_tsquery('simple', ${searchExpression(query)})`);
  }
  if (labelIds) assets = assets.where('labelIds', '&&', bigints(labelIds));
  if (audience) assets = targetedAt(assets, audience);
  return day === undefined ? assets : visibleOn(assets, day);
}

const targetedAt = (assets: Assets, { locationIds, businessIds, labelIds }: Audience): Assets =>
  assets.where((eb) =>
    eb.or([
      eb.ref('allManagedResources'),
      eb('locationIds', '&&', bigints(locationIds)),
      eb('businessIds', '&&', bigints(businessIds)),
      eb('labelIds', '&&', bigints(labelIds)),
    ]),
  );

function visibleOn(assets: Assets, day: string): Assets {
  const on = raw<Date>`${day}::date`;
  return assets
    .where((eb) => eb.fn.coalesce(eb('startDate', '<=', on), eb.lit(true)))
    .where((eb) => eb.fn.coalesce(eb('endDate', '>=', on), eb.lit(true)));
}

/** Columns with the names of response fields. */
const sameNames = fieldNames(Type.Omit(AssetResponse, ['url', 'thumbnailUrl', 'labels', 'startDate', 'endDate']));

const columns = (eb: ExpressionBuilder<DB, 'assets'>) =>
  [
    ...sameNames,
    'partnerId',
    'fileName',
    'thumbnailName',
    'accessToken',
    'labelIds',
    eb.cast<string | null>('startDate', 'text').as('startDate'),
    eb.cast<string | null>('endDate', 'text').as('endDate'),
  ] as const;

type Narrowed = Pick<Asset, 'type' | 'status' | 'content'>;

/** A registered file in the file store. */
export interface AssetFile extends Pick<Asset, 'width' | 'height' | 'thumbnailName'> {
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  fileName: string;
  accessToken: string;
}

/** The file of an asset, or the content of a template. */
export type AssetSource =
  | { type: Exclude<AssetType, 'SOCIAL_POST_TEMPLATE'>; file: AssetFile; content?: never }
  | { type: 'SOCIAL_POST_TEMPLATE'; content: TemplateContent; file?: never };

type NewAsset = AssetDetails & Pick<Asset, 'partnerId' | 'createdBy'> & AssetSource;

export function insertAsset(sql: Sql, asset: NewAsset): Promise<Asset> {
  const { file, content, ...details } = asset;
  return db(sql)
    .insertInto('assets')
    .values({ ...details, ...file, content: content ? JSON.stringify(content) : null })
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export function updateAsset(
  sql: Sql,
  id: number,
  details: AssetDetails,
  content: TemplateContent | null,
): Promise<Asset> {
  return db(sql)
    .updateTable('assets')
    .set({ ...details, content: content && JSON.stringify(content), lastUpdated: raw`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export function findAsset(assets: Assets, id: number, lock: '' | 'for update' = ''): Promise<Asset | undefined> {
  return assets
    .select(columns)
    .where('id', '=', id)
    .$if(lock === 'for update', (asset) => asset.forUpdate())
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

export type StoredFile = Pick<Asset, 'name' | 'type' | 'mimeType' | 'sizeBytes' | 'fileName' | 'thumbnailName'> &
  Pick<AssetFile, 'sha256'>;

const findByToken = defineStatement<StoredFile>({
  name: 'find-asset-by-token',
  text: `select name, type, mime_type, size_bytes, file_name, thumbnail_name, sha256
         from assets where access_token = $1`,
  columns: {
    name: 'text',
    type: 'text',
    mimeType: 'text',
    sizeBytes: 'int8',
    fileName: 'text',
    thumbnailName: 'text',
    sha256: 'text',
  },
});

export async function findAssetByToken(sql: Sql, accessToken: string): Promise<StoredFile | undefined> {
  const [file] = await run(sql, findByToken, [accessToken]);
  return file;
}

const { ref } = expressionBuilder<DB, 'assets'>();

const sortExpressions = {
  name: raw`lower(${ref('name')})`,
  dateCreated: raw`${ref('dateCreated')}`,
  lastUpdated: raw`${ref('lastUpdated')}`,
  sizeBytes: raw`coalesce(${ref('sizeBytes')}, 0)`,
  type: raw`${ref('type')}`,
};

export const assetSorts = Object.keys(sortExpressions) as (keyof typeof sortExpressions)[];

export function listAssets(
  assets: Assets,
  { sort, descending }: { sort: keyof typeof sortExpressions; descending: boolean },
  page: { offset: number; limit: number },
): Promise<Asset[]> {
  return inOrder(assets.select(columns), { by: sortExpressions[sort], descending })
    .offset(page.offset)
    .limit(page.limit)
    .$narrowType<Narrowed>()
    .execute();
}

/** Counts assets directly in each folder. */
export async function countAssetsByFolder(assets: Assets, folderIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await assets
    .where('folderId', '=', anyOf(folderIds, 'bigint'))
    .select(({ fn }) => ['folderId', fn.countAll<number>().as('count')])
    .groupBy('folderId')
    .$narrowType<{ folderId: NotNull }>()
    .execute();
  return new Map(rows.map(({ folderId, count }) => [folderId, count]));
}

/** Locks all assets in the folders, regardless of visibility. */
export function lockAssetsInFolders(transaction: Transaction, folderIds: readonly number[]): Promise<Asset[]> {
  return db(transaction)
    .selectFrom('assets')
    .select(columns)
    .where('folderId', '=', anyOf(folderIds, 'bigint'))
    .orderBy('id')
    .forUpdate()
    .$narrowType<Narrowed>()
    .execute();
}

/** A query of templates of the partner whose content contains `part`. */
export function templatesWithMedia(sql: Sql, partnerId: number, part: string) {
  return assetsOf(sql, partnerId)
    .select((eb) => ['id', eb.cast<string>('content', 'text').as('media')])
    .where('content', 'is not', null)
    .where((eb) => raw`strpos(${eb.cast('content', 'text')}, ${part})`, '>', 0);
}

export async function deleteAssets(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await db(transaction).deleteFrom('assets').where('id', '=', anyOf(ids, 'bigint')).execute();
}

export const rejectDeletingLabelOfAssets = onlyTargetCheck({
  table: 'assets',
  records: 'digital assets',
  isBlocking: 'not all_managed_resources',
});
