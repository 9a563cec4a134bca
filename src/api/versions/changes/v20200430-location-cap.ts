import type { VersionChange } from '../version-change.ts';

export const locationCap: VersionChange = {
  version: '20200430',
  kind: 'BREAKING',
  description:
    'Without a fieldMask at most 50 locations are answered, whatever max says. Before, there was no such cap.',
  touches: ['GET /api/locations'],
  calls: [{ call: 'GET /api/locations', granted: 'UNCAPPED_LOCATIONS' }],
};
