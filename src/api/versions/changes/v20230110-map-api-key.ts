import { described, type VersionChange, without } from '../version-change.ts';
import { renamed } from './change-builders.ts';

const key = renamed('StoreFinderSettings', 'googleAPIKey', 'mapApiKey');

export const mapApiKey: VersionChange = {
  version: '20230110',
  kind: 'BREAKING',
  description: 'In the store finder settings, googleAPIKey was renamed to mapApiKey, and googleAPIVersion was removed.',
  touches: ['GET /api/store-finders/{storeKey}/settings'],
  shapes: [
    {
      ...key,
      replaced: { ...key.replaced, googleAPIVersion: 'nothing' },
      upgrade: (old) => key.upgrade(without(old, 'googleAPIVersion')),
      downgrade: (current) => ({ ...key.downgrade(current), googleAPIVersion: '3' }),
      describe: (current) => described(key.describe(current), [], { googleAPIVersion: { type: 'string' } }),
    },
  ],
};
