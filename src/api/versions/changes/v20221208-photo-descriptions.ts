import { described, entries, isShape, type VersionChange, withField } from '../version-change.ts';

export const photoDescriptions: VersionChange = {
  version: '20221208',
  kind: 'BREAKING',
  description:
    'Photos of a social post are objects with a description: [{photo, description}]. Before, they were URLs.',
  touches: ['photos of a social post'],
  shapes: [
    {
      resource: 'SocialPost',
      replaced: {},
      upgrade: (old) =>
        withField(old, 'photos', (photos) =>
          Array.isArray(photos) ? photos.map((photo) => (typeof photo === 'string' ? { photo } : photo)) : photos,
        ),
      downgrade: (today) =>
        withField(today, 'photos', (photos) => entries(photos).map((photo) => (isShape(photo) ? photo.photo : photo))),
      describe: (today) => described(today, ['photos'], { photos: { type: 'array', items: { type: 'string' } } }),
    },
  ],
};
