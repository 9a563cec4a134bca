import type { VersionChange } from '../version-change.ts';

export const threadActionDates: VersionChange = {
  version: '20210215',
  kind: 'ADDITIVE',
  description:
    'Datapoints can be filtered by the last action in their thread: minThreadActionDate and maxThreadActionDate, in Unix milliseconds.',
  touches: ['GET /api/data-points'],
};
