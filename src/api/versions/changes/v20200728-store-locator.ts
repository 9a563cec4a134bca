import type { VersionChange } from '../version-change.ts';
import { added } from './change-builders.ts';

export const storeLocator: VersionChange = {
  version: '20200728',
  kind: 'BREAKING',
  description: 'Social posts have isStoreLocator, which controls whether the store locator shows them. Default: true.',
  touches: ['isStoreLocator of a social post'],
  shapes: [added('SocialPost', 'isStoreLocator')],
};
