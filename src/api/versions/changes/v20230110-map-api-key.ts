import { described, renamed, type VersionChange, without } from '../version-change.ts';

const name = renamed('StoreFinderSettings', 'googleAPIKey', 'mapApiKey');

export const mapApiKey: VersionChange = {
  version: '20230110',
  kind: 'BREAKING',
  description: 'The store finder settings call googleAPIKey mapApiKey; googleAPIVersion is gone, any version works.',
  touches: ['GET /api/store-finders/{storeKey}/settings'],
  shapes: [
    {
      ...name,
      replaced: { ...name.replaced, googleAPIVersion: 'nothing' },
      upgrade: (old) => name.upgrade?.(without(old, 'googleAPIVersion')) ?? old,
      downgrade: (today) => ({ ...name.downgrade?.(today), googleAPIVersion: '3' }),
      describe: (today) => described(name.describe?.(today) ?? today, [], { googleAPIVersion: { type: 'string' } }),
    },
  ],
};
