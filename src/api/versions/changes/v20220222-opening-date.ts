import { described, renamed, renamedInMask, type Shape, type VersionChange, without } from '../version-change.ts';

export const openingDate: VersionChange = {
  version: '20220222',
  kind: 'BREAKING',
  description:
    'The location field futureOpeningDate is called openingDate. Objects of content lists have one image in place of the list ' +
    'images.',
  touches: ['openingDate of a location', 'image of content objects'],
  shapes: [
    renamed('Location', 'futureOpeningDate', 'openingDate'),
    renamed('StoreFinderDetails', 'futureOpeningDate', 'openingDate'),
    {
      resource: 'ContentItem',
      replaced: { images: 'image' },
      upgrade: toOne,
      downgrade: toList,
      describe: (today) => described(today, ['image'], { images: { type: 'array', items: { type: 'string' } } }),
    },
  ],
  calls: [
    {
      call: 'GET /api/locations',
      replaced: {},
      upgradeQuery: (old) => renamedInMask(old, 'futureOpeningDate', 'openingDate'),
    },
  ],
};

function toOne(old: Shape): Shape {
  if (!Object.hasOwn(old, 'images')) return old;
  const first = Array.isArray(old.images) ? old.images[0] : old.images;
  return { ...without(old, 'images'), image: first ?? null };
}

function toList(today: Shape): Shape {
  const { image, ...rest } = today;
  return { ...rest, images: image === undefined || image === null ? [] : [image] };
}
