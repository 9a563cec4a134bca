import type { VersionChange } from '../version-change.ts';

export const threadActionDates: VersionChange = {
  version: '20210215',
  kind: 'ADDITIVE',
  description:
    'Datapoints can be searched by when anything last happened in their thread: minThreadActionDate and maxThreadActionDate, in unix milliseconds.',
  touches: ['GET /api/data-points'],
};
