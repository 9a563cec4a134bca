import type { VersionChange } from '../version-change.ts';

export const exportGroup: VersionChange = {
  version: '20190128',
  kind: 'ADDITIVE',
  description: 'Dashboard exports can be grouped by day, week, month or year with the parameter group.',
  touches: ['POST /api/dashboard-exports'],
};
