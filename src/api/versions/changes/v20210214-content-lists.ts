import { described, omit, type RecordSchema, type Shape, type VersionChange } from '../version-change.ts';

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
      pathThen: (path) => path.replace(/(contentLists\[\d+\])\.collection\.(?=items|type)/, '$1.'),
      upgrade: toCollection,
      downgrade: (today) => omit(today, 'collectionId'),
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
function withItems(today: RecordSchema): RecordSchema {
  const { properties: { type = {}, items = {} } = {} } = (today.properties?.collection ?? {}) as RecordSchema;
  const inline = today.properties?.collection ? { type, items } : {};
  return described(today, ['collection', 'collectionId'], inline);
}
