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
