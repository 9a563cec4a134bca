import type { VersionChange } from '../version-change.ts';

export const defaultFeatures: VersionChange = {
  version: '20210628',
  kind: 'ADDITIVE',
  description:
    'The features endpoint returns defaultFeatures, the features of a new user. Existing fields are unchanged.',
  touches: ['GET /api/features'],
};
