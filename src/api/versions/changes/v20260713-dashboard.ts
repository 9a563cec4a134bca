import type { VersionChange } from '../version-change.ts';

export const dashboard: VersionChange = {
  version: '20260713',
  kind: 'ADDITIVE',
  description:
    'The dashboard endpoints were added: customer feedback, insights, listing health, completeness, exports. Nothing that was there changes.',
  touches: ['/api/dashboard/*'],
};
