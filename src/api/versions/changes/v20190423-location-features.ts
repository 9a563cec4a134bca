import { type VersionChange, withField } from '../version-change.ts';
import { featuresCall, joinFeature, splitFeature } from './v20200128-inbox-and-plan-status.ts';

const halves = ['LOCATION_WRITE', 'LOCATION_READ'];

export const locationFeatures: VersionChange = {
  version: '20190423',
  kind: 'BREAKING',
  description: 'The user feature LISTING became LOCATION_WRITE and LOCATION_READ.',
  touches: ['features of a user'],
  shapes: [
    {
      resource: 'User',
      replaced: {},
      upgrade: (old) => withField(old, 'features', (features) => splitFeature(features, 'LISTING', halves)),
      downgrade: (today) => withField(today, 'features', (features) => joinFeature(features, 'LISTING', halves)),
    },
  ],
  calls: [featuresCall('LISTING', 'See and change locations', halves)],
};
