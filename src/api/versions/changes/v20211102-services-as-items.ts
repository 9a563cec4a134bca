import type { VersionChange } from '../version-change.ts';
import { stringsToObjects } from './change-builders.ts';

const now = 'service items {identifier, title, …}';

export const servicesAsItems: VersionChange = {
  version: '20211102',
  kind: 'BREAKING',
  description: 'Services of a location are objects: {identifier, title, description, …}. Before, they were strings.',
  touches: ['services of a location', 'services in the details of the store finder'],
  shapes: [
    stringsToObjects('Location', 'services', 'title', now),
    stringsToObjects('StoreFinderDetails', 'services', 'title', now),
  ],
};
