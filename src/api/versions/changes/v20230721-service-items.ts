import type { VersionChange } from '../version-change.ts';
import { added } from './kinds-of-change.ts';
import { locationWriteCalls } from './location-calls.ts';

/** Old clients cannot send these fields; their items are matched by identifier and keep them. */
const fields = ['id', 'translations'];

export const serviceItems: VersionChange = {
  version: '20230721',
  kind: 'BREAKING',
  description:
    'For partners with Collections in a product plan, service items have an id and translations. Send the id to reuse an ' +
    'item of this or another location of the business; an item without an id is created. Before, and still for other ' +
    'partners, items are matched by identifier.',
  touches: ['services of a location'],
  onlyWith: 'COLLECTIONS',
  shapes: [{ ...added('ServiceItem', ...fields), notYet: fields }],
  calls: locationWriteCalls('SERVICES_BY_IDENTIFIER'),
};
