import type { VersionChange } from '../version-change.ts';

export const nearMeCheck: VersionChange = {
  version: '20250729',
  kind: 'ADDITIVE',
  description: 'Added the near-me check: categories and reports.',
  touches: ['/api/near-me-check/categories', '/api/report'],
};
