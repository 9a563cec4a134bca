import type { VersionChange } from '../version-change.ts';

export const datapointPages: VersionChange = {
  version: '20190104',
  kind: 'BREAKING',
  description: 'Datapoint pages are limited to 1000 entries. Before, there was no limit.',
  touches: ['GET /api/data-points'],
  calls: [{ call: 'GET /api/data-points', granted: 'UNCAPPED_DATAPOINTS' }],
};
