import type { AssetFolder } from '../../api/api-types.ts';
import { tn } from '../../texts/t.ts';

export const assetTypes = ['IMAGE', 'VIDEO', 'DOCUMENT', 'SOCIAL_POST_TEMPLATE'] as const;
export const assetStatuses = ['VISIBLE', 'HIDDEN'] as const;
export const assetSorts = ['newest', 'oldest', 'name', 'largest'] as const;
export type AssetSort = (typeof assetSorts)[number];

export const sortParameters = {
  newest: { sort: 'dateCreated', order: 'DESC' },
  oldest: { sort: 'dateCreated', order: 'ASC' },
  name: { sort: 'name', order: 'ASC' },
  largest: { sort: 'sizeBytes', order: 'DESC' },
} as const;

/** "3 folders, 1 asset". */
export function folderContent({
  foldersCount,
  assetsCount,
}: Pick<AssetFolder, 'foldersCount' | 'assetsCount'>): string {
  const folders = foldersCount > 0 ? [tn('assets.foldersInFolder', foldersCount)] : [];
  const assets = assetsCount > 0 || foldersCount === 0 ? [tn('assets.inFolder', assetsCount)] : [];
  return [...folders, ...assets].join(', ');
}
