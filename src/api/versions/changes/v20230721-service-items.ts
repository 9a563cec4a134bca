import { described, hidden, type VersionChange, without } from '../version-change.ts';

/** What an item of old could not say; it is found again by its identifier, and keeps them. */
const full = ['id', 'translations'];

export const serviceItems: VersionChange = {
  version: '20230721',
  kind: 'BREAKING',
  description:
    'Service items have an id and translations for partners with Collections in a product plan. Give the id to reuse an item; ' +
    'before, an item was found by its identifier.',
  touches: ['services of a location'],
  shapes: [
    {
      resource: 'ServiceItem',
      replaced: {},
      upgrade: (old) => without(old, ...full),
      downgrade: (today) => hidden(today, ...full),
      describe: (today) => described(today, full, {}),
    },
  ],
};
