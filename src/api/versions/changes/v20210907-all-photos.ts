import { entries, type VersionChange, withField } from '../version-change.ts';

export const allPhotos: VersionChange = {
  version: '20210907',
  kind: 'BREAKING',
  description: 'Store finder details contain all photos of a location. Before, they contained the main photo only.',
  touches: ['GET /api/store-finders/{storeKey}/locations/{id}'],
  shapes: [
    {
      resource: 'StoreFinderDetails',
      // The main photo comes first.
      downgrade: (current) => withField(current, 'photos', (photos) => entries(photos).slice(0, 1)),
    },
  ],
};
