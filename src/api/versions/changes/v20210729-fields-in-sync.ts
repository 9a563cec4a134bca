import type { VersionChange } from '../version-change.ts';

export const fieldsInSync: VersionChange = {
  version: '20210729',
  kind: 'BREAKING',
  description:
    'countFieldsInSync of listing health is deprecated and always 0. Before, it was the number of fields in sync.',
  touches: ['GET /api/dashboard/listing-health', 'GET /api/dashboard/listing-health/{locationId}'],
  calls: [
    { call: 'GET /api/dashboard/listing-health', granted: 'FIELDS_IN_SYNC_COUNTED' },
    { call: 'GET /api/dashboard/listing-health/:locationId', granted: 'FIELDS_IN_SYNC_COUNTED' },
  ],
};
