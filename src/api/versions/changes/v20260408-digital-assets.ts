import type { VersionChange } from '../version-change.ts';

export const digitalAssets: VersionChange = {
  version: '20260408',
  kind: 'ADDITIVE',
  description: 'Digital asset management and social templates were added. Nothing that was there changes.',
  touches: ['/api/dam/*', '/api/social-templates'],
};
