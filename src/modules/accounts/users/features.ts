import { type Feature, features, type Role } from '../../../http/access.ts';

export const featureDescriptions: Readonly<Record<Feature, string>> = {
  LOCATION_READ: 'View locations, their listings and suggestions',
  LOCATION_WRITE: 'Create, change and sync locations. featuresDetailed restricts the fields.',
  INBOX_READ: 'View and filter reviews, questions and other datapoints',
  INBOX_WRITE: 'View, filter and reply to reviews, questions and other datapoints',
  SOCIAL_POST_READ: 'View social posts',
  SOCIAL_POST_WRITE: 'Write, schedule and withdraw social posts',
  DASHBOARD_READ: 'View dashboards, insights and reports',
  ASSET_READ: 'View and use assets',
  ASSET_WRITE: 'Upload, change and delete assets',
};

/** Features of users without an explicit list. */
export const defaultFeatures: Readonly<Record<Role, readonly Feature[]>> = {
  ADMIN: features,
  ACCOUNT_MANAGER: features,
  BUSINESS_MANAGER: features.filter((feature) => feature !== 'ASSET_WRITE'),
  LOCATION_MANAGER: ['LOCATION_READ', 'LOCATION_WRITE', 'INBOX_READ', 'INBOX_WRITE', 'SOCIAL_POST_READ', 'ASSET_READ'],
};

/** Write access includes read access. Administrators have all features. */
export function featuresOf(role: Role, given: readonly Feature[] | null): Feature[] {
  if (role === 'ADMIN') return [...features];
  const held = new Set<string>(given ?? defaultFeatures[role]);
  return features.filter((feature) => held.has(feature) || held.has(feature.replace(/_READ$/, '_WRITE')));
}
