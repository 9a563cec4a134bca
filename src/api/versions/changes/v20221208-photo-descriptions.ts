import type { VersionChange } from '../version-change.ts';
import { stringsToObjects } from './change-builders.ts';

export const photoDescriptions: VersionChange = {
  version: '20221208',
  kind: 'BREAKING',
  description: 'Photos of social posts are objects with a description: [{photo, description}]. Before, they were URLs.',
  touches: ['photos of a social post'],
  shapes: [stringsToObjects('SocialPost', 'photos', 'photo', 'objects {photo, description}')],
};
