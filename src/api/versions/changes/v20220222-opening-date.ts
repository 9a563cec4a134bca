import { described, type Shape, stringList, type VersionChange, without } from '../version-change.ts';
import { renamed, renamedEntry } from './change-builders.ts';
import { renamedInFieldNames, renamedInMask } from './location-calls.ts';

const before = 'futureOpeningDate';
const now = 'openingDate';

export const openingDate: VersionChange = {
  version: '20220222',
  kind: 'BREAKING',
  description:
    'The location field futureOpeningDate was renamed to openingDate. The list images of content items was replaced by the ' +
    'single field image.',
  touches: ['openingDate of a location and in lists of field names', 'image of content objects'],
  shapes: [
    renamed('Location', before, now),
    renamed('StoreFinderDetails', before, now),
    renamedEntry('StoreFinderSettings', 'fields', before, now),
    {
      resource: 'ContentItem',
      replaced: { images: 'image' },
      lossWarning: furtherImages,
      upgrade: toOne,
      downgrade: toList,
      describe: (current) => described(current, ['image'], { images: stringList }),
    },
  ],
  calls: [...renamedInMask(before, now), ...renamedInFieldNames(before, now)],
};

function furtherImages({ images }: Shape): string | undefined {
  if (!Array.isArray(images) || images.length < 2) return undefined;
  return `images: an item has one image. The first of ${images.length} images was stored, the others were ignored.`;
}

function toOne(old: Shape): Shape {
  if (!Object.hasOwn(old, 'images')) return old;
  const first = Array.isArray(old.images) ? old.images[0] : old.images;
  return { ...without(old, 'images'), image: first ?? null };
}

function toList({ image, ...current }: Shape): Shape {
  return { ...current, images: image === undefined || image === null ? [] : [image] };
}
