import type { VersionChange } from '../version-change.ts';
import { added } from './kinds-of-change.ts';

export const storeLocator: VersionChange = {
  version: '20200728',
  kind: 'BREAKING',
  description: 'A social post says with isStoreLocator whether the store locator shows it; the default is true.',
  touches: ['isStoreLocator of a social post'],
  shapes: [added('SocialPost', 'isStoreLocator')],
};
