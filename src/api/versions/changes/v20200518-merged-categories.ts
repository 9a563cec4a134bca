import type { VersionChange } from '../version-change.ts';
import { locationReadCalls } from './location-calls.ts';

export const mergedCategories: VersionChange = {
  version: '20200518',
  kind: 'BREAKING',
  description:
    'Some categories are deprecated and were merged into others. Their ids are still accepted and mapped to the new ' +
    'categories. Before, they were returned unchanged.',
  touches: ['categories of a location', 'GET /api/categories'],
  calls: [
    { call: 'GET /api/categories', granted: 'DEPRECATED_CATEGORIES' },
    ...locationReadCalls('DEPRECATED_CATEGORIES'),
  ],
};
