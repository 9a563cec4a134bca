import type { Schema } from '../../../json-schema.ts';
import { described, omit, type Shape, type VersionChange } from '../version-change.ts';

export const contentLists: VersionChange = {
  version: '20210214',
  kind: 'BREAKING',
  description:
    'The items of content lists are stored in a separate collection, which several locations can share. Before, a list ' +
    'contained its items.',
  touches: ['contentLists of a location', '/api/content-collections'],
  shapes: [
    {
      resource: 'ContentList',
      replaced: { items: 'collection' },
      oldPath: (path) => path.replace(/(contentLists\[\d+\])\.collection\.(?=items|type)/, '$1.'),
      upgrade: toCollection,
      downgrade: (current) => omit(current, 'collectionId'),
      describe: withItems,
    },
  ],
};

function toCollection(old: Shape): Shape {
  if (!Object.hasOwn(old, 'items')) return old;
  const { items, type, ...list } = old;
  return { ...list, collection: { ...(type !== undefined && { type }), items } };
}

/** Responses still contain the items. */
function withItems(current: Schema): Schema {
  const { properties: { type = {}, items = {} } = {} } = (current.properties?.collection ?? {}) as Schema;
  const inline = current.properties?.collection ? { type, items } : {};
  return described(current, ['collection', 'collectionId'], inline);
}
