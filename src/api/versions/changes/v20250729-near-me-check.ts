import type { VersionChange } from '../version-change.ts';

export const nearMeCheck: VersionChange = {
  version: '20250729',
  kind: 'ADDITIVE',
  description: 'The near-me check was added: categories, reports. Nothing that was there changes.',
  touches: ['/api/near-me-check/categories', '/api/report'],
};
