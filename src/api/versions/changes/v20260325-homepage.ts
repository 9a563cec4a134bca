import type { VersionChange } from '../version-change.ts';

export const homepage: VersionChange = {
  version: '20260325',
  kind: 'ADDITIVE',
  description:
    'The homepage endpoints were added: key metrics, ranks, scores, tasks, suggestions. Nothing that was there changes.',
  touches: ['/api/home/*'],
};
