import type { VersionChange } from '../version-change.ts';

export const homepage: VersionChange = {
  version: '20260325',
  kind: 'ADDITIVE',
  description: 'Added the homepage endpoints: key metrics, ranks, scores, tasks, suggestions.',
  touches: ['/api/home/*'],
};
