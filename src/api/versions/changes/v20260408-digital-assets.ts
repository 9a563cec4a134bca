import type { VersionChange } from '../version-change.ts';

export const digitalAssets: VersionChange = {
  version: '20260408',
  kind: 'ADDITIVE',
  description: 'Added digital asset management and social templates.',
  touches: ['/api/dam/*', '/api/social-templates'],
};
