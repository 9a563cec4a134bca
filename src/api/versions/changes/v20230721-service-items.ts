import type { VersionChange } from '../version-change.ts';
import { added } from './kinds-of-change.ts';

/** An item of old could not say them; it is found again by its identifier, and keeps them. */
const fields = ['id', 'translations'];

export const serviceItems: VersionChange = {
  version: '20230721',
  kind: 'BREAKING',
  description:
    'Service items have an id and translations for partners with Collections in a product plan. Give the id to reuse an item. ' +
    'Before, and for other partners still, an item is found by its identifier.',
  touches: ['services of a location'],
  onlyWith: 'COLLECTIONS',
  shapes: [{ ...added('ServiceItem', ...fields), notYet: fields }],
};
