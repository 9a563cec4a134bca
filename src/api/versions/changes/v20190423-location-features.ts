import type { VersionChange } from '../version-change.ts';
import { splitInList, splitInUsers } from './split-features.ts';

const listing = {
  whole: 'LISTING',
  description: 'See and change locations',
  parts: ['LOCATION_WRITE', 'LOCATION_READ'],
};

export const locationFeatures: VersionChange = {
  version: '20190423',
  kind: 'BREAKING',
  description: 'The user feature LISTING was split into LOCATION_WRITE and LOCATION_READ.',
  touches: ['features of a user'],
  shapes: [splitInUsers(listing)],
  calls: [splitInList(listing)],
};
