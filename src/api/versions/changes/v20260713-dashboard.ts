import type { VersionChange } from '../version-change.ts';

export const dashboard: VersionChange = {
  version: '20260713',
  kind: 'ADDITIVE',
  description: 'Added the dashboard endpoints: customer feedback, insights, listing health, completeness, exports.',
  touches: ['/api/dashboard/*'],
};
