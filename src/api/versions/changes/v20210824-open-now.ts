import type { VersionChange } from '../version-change.ts';
import { added } from './kinds-of-change.ts';

export const openNow: VersionChange = {
  version: '20210824',
  kind: 'BREAKING',
  description:
    'Search results of the store finder have openNow only when it was asked for with openNow=true. A social post has one ' +
    'call to action or several: callToActions, besides callToAction and url of the first.',
  touches: ['GET /api/store-finders/{storeKey}/locations', 'callToActions of a social post'],
  shapes: [
    {
      ...added('SocialPost', 'callToActions'),
      // Until then only the single one could be sent.
      pathThen: (path) =>
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
