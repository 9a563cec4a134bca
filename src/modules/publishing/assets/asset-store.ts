import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { Direction } from '../../../http/pagination.ts';
import { dayOf } from '../../../values/span.ts';
import { searchExpression } from '../../locations/index.ts';
import type { Asset, AssetDetails, AssetStatus, AssetType } from './asset.ts';
import type { Audience } from './asset-targets.ts';
import type { TemplateContent } from './template-content.ts';

export interface AssetFilter {
  /** Null: the top level. */
  folderId?: number | null;
  types?: readonly AssetType[];
  statuses?: readonly AssetStatus[];
  query?: string;
  labelIds?: readonly number[];
  audience?: Audience;
  visibleOn?: string;
}

/** Callers who can write assets also see hidden, future and expired ones. */
const canWriteAssets = ({ user }: Caller) => !user || user.role === 'ADMIN' || user.features.has('ASSET_WRITE');

export function assetConditions(caller: Caller, audience: Audience | null, now: Date): Conditions {
  const conditions = new Conditions(caller.partnerId).add('partner_id = $1');
  if (audience) targetedAt(conditions, audience);
  if (!canWriteAssets(caller)) {
    conditions.add("status = 'VISIBLE'");
    visibleOn(conditions, dayOf(now));
  }
  return conditions;
}

export function listConditions(conditions: Conditions, filter: AssetFilter): Conditions {
  const { folderId, types, statuses, query, labelIds, visibleOn: day } = filter;
  if (folderId === null) conditions.add('folder_id is null');
  else if (folderId !== undefined) conditions.add(`folder_id = ${conditions.value(folderId)}`);
  if (types) conditions.add(`type = any (${conditions.value(types)})`);
  if (statuses) conditions.add(`status = any (${conditions.value(statuses)})`);
  if (query !== undefined) {
    conditions.add(`search @@ to_tsquery('simple', ${conditions.value(searchExpression(query))})`);
  }
  if (labelIds) conditions.add(`label_ids && ${conditions.value(labelIds)}::bigint[]`);
  if (filter.audience) targetedAt(conditions, filter.audience);
  if (day !== undefined) visibleOn(conditions, day);
  return conditions;
}

function targetedAt(conditions: Conditions, { locationIds, businessIds, labelIds }: Audience): void {
  conditions.add(
    `(all_managed_resources or location_ids && ${conditions.value(locationIds)}::bigint[]
      or business_ids && ${conditions.value(businessIds)}::bigint[]
      or label_ids && ${conditions.value(labelIds)}::bigint[])`,
  );
}

function visibleOn(conditions: Conditions, day: string): void {
  const on = `${conditions.value(day)}::date`;
  conditions.add(`coalesce(start_date <= ${on}, true) and coalesce(end_date >= ${on}, true)`);
}

const columns = `id, partner_id as "partnerId", folder_id as "folderId", type, status, name, description,
  mime_type as "mimeType", size_bytes as "sizeBytes", width, height, file_name as "fileName",
  thumbnail_name as "thumbnailName", access_token as "accessToken", content, start_date::text as "startDate",
  end_date::text as "endDate", all_managed_resources as "allManagedResources", location_ids as "locationIds",
  business_ids as "businessIds", label_ids as "labelIds", created_by as "createdBy", date_created as "dateCreated",
  last_updated as "lastUpdated"`;

export interface AssetFile {
  mimeType: string;
  sizeBytes: number;
  width: number | null;
  height: number | null;
  sha256: string;
  fileName: string;
  thumbnailName: string | null;
  accessToken: string;
}

interface NewAsset extends AssetDetails {
  partnerId: number;
  createdBy: string;
  type: AssetType;
  file?: AssetFile;
  content?: TemplateContent;
}

const detailColumns = [
  'name',
  'description',
  'status',
  'folder_id',
  'start_date',
  'end_date',
  'all_managed_resources',
  'location_ids',
  'business_ids',
  'label_ids',
];

const detailValues = (details: AssetDetails) => [
  details.name,
  details.description,
  details.status,
  details.folderId,
  details.startDate,
  details.endDate,
  details.allManagedResources,
  details.locationIds,
  details.businessIds,
  details.labelIds,
];

export async function insertAsset(sql: Sql, asset: NewAsset): Promise<Asset> {
  const { file, content } = asset;
  const { rows } = await sql.query<Asset>(
    `insert into assets (${detailColumns}, partner_id, created_by, type, content, mime_type, size_bytes, width, height,
       sha256, file_name, thumbnail_name, access_token)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
     returning ${columns}`,
    [
      ...detailValues(asset),
      asset.partnerId,
      asset.createdBy,
      asset.type,
      content ? JSON.stringify(content) : null,
      file?.mimeType ?? null,
      file?.sizeBytes ?? null,
      file?.width ?? null,
      file?.height ?? null,
      file?.sha256 ?? null,
      file?.fileName ?? null,
      file?.thumbnailName ?? null,
      file?.accessToken ?? null,
    ],
  );
  return rows[0] as Asset;
}

export async function updateAsset(
  sql: Sql,
  id: number,
  details: AssetDetails,
  content: TemplateContent | null,
): Promise<Asset> {
  const { rows } = await sql.query<Asset>(
    `update assets set (${detailColumns}, content, last_updated)
       = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now())
     where id = $1 returning ${columns}`,
    [id, ...detailValues(details), content && JSON.stringify(content)],
  );
  return rows[0] as Asset;
}

export async function findAsset(
  sql: Sql,
  conditions: Conditions,
  id: number,
  lock: '' | 'for update' = '',
): Promise<Asset | undefined> {
  const { rows } = await sql.query<Asset>(
    `select ${columns} from assets ${conditions.add(`id = ${conditions.value(id)}`).where} ${lock}`,
    conditions.values,
  );
  return rows[0];
}

export async function findAssetByToken(
  sql: Sql,
  accessToken: string,
): Promise<(Asset & { sha256: string }) | undefined> {
  const { rows } = await sql.query<Asset & { sha256: string }>({
    name: 'find-asset-by-token',
    text: `select ${columns}, sha256 from assets where access_token = $1`,
    values: [accessToken],
  });
  return rows[0];
}

export const assetSorts = ['name', 'dateCreated', 'lastUpdated', 'sizeBytes', 'type'] as const;
const sortExpressions: Record<(typeof assetSorts)[number], string> = {
  name: 'lower(name)',
  dateCreated: 'date_created',
  lastUpdated: 'last_updated',
  sizeBytes: 'coalesce(size_bytes, 0)',
  type: 'type',
};

interface AssetOrder {
  sort: (typeof assetSorts)[number];
  order: Direction;
}

export async function listAssets(
  sql: Sql,
  conditions: Conditions,
  { sort, order }: AssetOrder,
  page: { offset: number; limit: number },
): Promise<Asset[]> {
  const { rows } = await sql.query<Asset>(
    `select ${columns} from assets ${conditions.where} order by ${sortExpressions[sort]} ${order}, id ${order}
     offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export async function countAssets(sql: Sql, conditions: Conditions): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from assets ${conditions.where}`,
    conditions.values,
  );
  return rows[0]?.count ?? 0;
}

/** Counts assets directly in each folder. */
export async function countAssetsByFolder(
  sql: Sql,
  conditions: Conditions,
  folderIds: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await sql.query<{ folderId: number; count: number }>(
    `select folder_id as "folderId", count(*) from assets
     ${conditions.add(`folder_id = any (${conditions.value(folderIds)}::bigint[])`).where} group by folder_id`,
    conditions.values,
  );
  return new Map(rows.map(({ folderId, count }) => [folderId, count]));
}

/** Locks all assets in the folders, regardless of visibility. */
export async function lockAssetsInFolders(transaction: Transaction, folderIds: readonly number[]): Promise<Asset[]> {
  const { rows } = await transaction.query<Asset>(
    `select ${columns} from assets where folder_id = any ($1::bigint[]) order by id for update`,
    [folderIds],
  );
  return rows;
}

/** Templates of the partner whose content contains `part`. */
export async function templatesWithMedia(
  sql: Sql,
  partnerId: number,
  part: string,
): Promise<{ id: number; media: string }[]> {
  const { rows } = await sql.query<{ id: number; media: string }>(
    `select id, content::text as media from assets
     where partner_id = $1 and content is not null and strpos(content::text, $2) > 0 order by id`,
    [partnerId, part],
  );
  return rows;
}

export async function deleteAssets(transaction: Transaction, ids: readonly number[]): Promise<void> {
  await transaction.query('delete from assets where id = any ($1::bigint[])', [ids]);
}
