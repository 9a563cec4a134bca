import { described, hidden, type Shape, type VersionChange } from '../version-change.ts';

export const contentLists: VersionChange = {
  version: '20210214',
  kind: 'BREAKING',
  description:
    'Content lists were rewritten: the items of a list lie in a collection of their own, which several locations can share. ' +
    'Before, a list held its items itself.',
  touches: ['contentLists of a location', '/api/content-collections'],
  shapes: [
    {
      resource: 'ContentList',
      replaced: { items: 'collection' },
      upgrade: toCollection,
      downgrade: (today) => hidden(today, 'collectionId'),
      describe: (today) => described(today, ['collection', 'collectionId'], {}),
    },
  ],
};

function toCollection(old: Shape): Shape {
  if (!Object.hasOwn(old, 'items')) return old;
  const { items, type, ...list } = old;
  return { ...list, collection: { ...(type !== undefined && { type }), items } };
}
