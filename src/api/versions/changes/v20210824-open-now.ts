import type { VersionChange } from '../version-change.ts';
import { added } from './change-builders.ts';

export const openNow: VersionChange = {
  version: '20210824',
  kind: 'BREAKING',
  description:
    'Search results of the store finder contain openNow only with openNow=true. Social posts can have several calls to ' +
    'action in callToActions; callToAction and url are those of the first.',
  touches: ['GET /api/store-finders/{storeKey}/locations', 'callToActions of a social post'],
  shapes: [
    {
      ...added('SocialPost', 'callToActions'),
      // Old clients could only send one.
      oldPath: (path) =>
        path
          .replace(/callToActions\[\d+\]\.url$/, 'url')
          .replace(/callToActions(\[\d+\](\.(type|directory))?)?$/, 'callToAction'),
    },
  ],
  calls: [
    { call: 'GET /api/store-finders/:storeKey/locations', granted: 'OPEN_NOW_ALWAYS' },
    { call: 'GET /api/store-finders/:storeKey/locations/all', granted: 'OPEN_NOW_ALWAYS' },
  ],
};
