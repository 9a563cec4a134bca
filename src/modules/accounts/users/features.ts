import { type Feature, features, type Role } from '../../../http/access.ts';

/** What each feature lets a user do. */
export const featureDescriptions: Readonly<Record<Feature, string>> = {
  LOCATION_READ: 'See locations, their listings and suggestions',
  LOCATION_WRITE: 'Create, change and sync locations; featuresDetailed says which of their fields',
  INBOX_READ: 'See and filter reviews, questions and other datapoints',
  INBOX_WRITE: 'See, filter and reply to them',
  SOCIAL_POST_READ: 'See social posts',
  SOCIAL_POST_WRITE: 'Write, schedule and withdraw social posts',
  DASHBOARD_READ: 'See dashboards, insights and reports',
  ASSET_READ: 'See and use assets',
  ASSET_WRITE: 'Upload, change and delete assets',
};

/** What a user of a role may do unless he was given features of his own. */
export const defaultFeatures: Readonly<Record<Role, readonly Feature[]>> = {
  ADMIN: features,
  ACCOUNT_MANAGER: features,
  BUSINESS_MANAGER: features.filter((feature) => feature !== 'ASSET_WRITE'),
  LOCATION_MANAGER: ['LOCATION_READ', 'LOCATION_WRITE', 'INBOX_READ', 'INBOX_WRITE', 'SOCIAL_POST_READ', 'ASSET_READ'],
};

/** Whoever may write may read. Administrators may do everything. */
export function featuresOf(role: Role, given: readonly Feature[] | null): Feature[] {
  if (role === 'ADMIN') return [...features];
  const held = new Set<string>(given ?? defaultFeatures[role]);
  return features.filter((feature) => held.has(feature) || held.has(feature.replace(/_READ$/, '_WRITE')));
}
