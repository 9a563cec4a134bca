import type { VersionChange } from '../version-change.ts';

export const datapointPages: VersionChange = {
  version: '20190104',
  kind: 'BREAKING',
  description: 'A page of datapoints holds at most 1000 entries. Before, there was no such cap.',
  touches: ['GET /api/data-points'],
  calls: [{ call: 'GET /api/data-points', granted: 'UNCAPPED_DATAPOINTS' }],
};
