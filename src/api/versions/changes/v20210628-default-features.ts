import type { VersionChange } from '../version-change.ts';

export const defaultFeatures: VersionChange = {
  version: '20210628',
  kind: 'ADDITIVE',
  description:
    'The features endpoint says which features a new user gets: defaultFeatures. Nothing that was there changes.',
  touches: ['GET /api/features'],
};
