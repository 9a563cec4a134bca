import type { VersionChange } from '../version-change.ts';
import { added, stringsToObjects } from './change-builders.ts';

export const filterTranslations: VersionChange = {
  version: '20211005',
  kind: 'BREAKING',
  description:
    'Values of store finder filters have translations: [{value, translations}]. Before, values were strings.',
  touches: ['GET /api/store-finders/{storeKey}/filters'],
  shapes: [
    stringsToObjects('StoreFinderFilter', 'values', 'value', 'objects {value, translations}'),
    added('StoreFinderFilter', 'translations'),
  ],
};
