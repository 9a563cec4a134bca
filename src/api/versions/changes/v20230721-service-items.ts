import type { VersionChange } from '../version-change.ts';
import { added } from './kinds-of-change.ts';
import { locationWriteCalls } from './location-calls.ts';

/** An item of old could not say them; it is found again by its identifier, and keeps them. */
const fields = ['id', 'translations'];

export const serviceItems: VersionChange = {
  version: '20230721',
  kind: 'BREAKING',
  description:
    'Service items have an id and translations for partners with Collections in a product plan. Only the id ' +
    'reuses an item, of this location or of another one of the business; an item without an id is a new one. ' +
    'Before, and for other partners still, an item is found by its identifier.',
  touches: ['services of a location'],
  onlyWith: 'COLLECTIONS',
  shapes: [{ ...added('ServiceItem', ...fields), notYet: fields }],
  calls: locationWriteCalls('SERVICES_BY_IDENTIFIER'),
};
