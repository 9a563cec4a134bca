import type { VersionChange } from '../version-change.ts';

export const locationCap: VersionChange = {
  version: '20200430',
  kind: 'BREAKING',
  description: 'Without a fieldMask, a page has at most 50 locations, regardless of max. Before, there was no limit.',
  touches: ['GET /api/locations'],
  calls: [{ call: 'GET /api/locations', granted: 'UNCAPPED_LOCATIONS' }],
};
