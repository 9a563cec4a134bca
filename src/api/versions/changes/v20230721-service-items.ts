import type { VersionChange } from '../version-change.ts';
import { added } from './change-builders.ts';
import { locationWriteCalls } from './location-calls.ts';

/** Ignored in requests from old clients: their items are matched by identifier and keep the stored values. */
const newFields = ['id', 'translations'];

export const serviceItems: VersionChange = {
  version: '20230721',
  kind: 'BREAKING',
  description:
    'For partners with Collections in a product plan, service items have an id and translations. Send the id to reuse an ' +
    'item of this or another location of the business; an item without an id is created. In earlier versions, and ' +
    'for partners without Collections, items are matched by identifier.',
  touches: ['services of a location'],
  onlyWith: 'COLLECTIONS',
  shapes: [{ ...added('ServiceItem', ...newFields), ignoredForOldClients: newFields }],
  calls: locationWriteCalls('SERVICES_BY_IDENTIFIER'),
};
