import { described, type Shape, texts, type VersionChange, without } from '../version-change.ts';
import { renamed, renamedEntry, textsToObjects } from './kinds-of-change.ts';
import { renamedInFieldNames, renamedInMask } from './location-calls.ts';

const formerName = 'futureOpeningDate';
const currentName = 'openingDate';

const openingDate: VersionChange = {
  version: '20220222',
  kind: 'BREAKING',
  description:
    'The location field futureOpeningDate was renamed to openingDate. The list images of content items was replaced by the ' +
    'single field image.',
  touches: ['openingDate of a location and in lists of field names', 'image of content objects'],
  shapes: [
    renamed('Location', formerName, currentName),
    renamed('StoreFinderDetails', formerName, currentName),
    renamedEntry('StoreFinderSettings', 'fields', formerName, currentName),
    {
      resource: 'ContentItem',
      replaced: { images: 'image' },
      lostBy: furtherImages,
      upgrade: toImage,
      downgrade: toImages,
      describe: (today) => described(today, ['image'], { images: texts }),
    },
  ],
  calls: [...renamedInMask(formerName, currentName), ...renamedInFieldNames(formerName, currentName)],
};

function furtherImages({ images }: Shape): string | undefined {
  if (!Array.isArray(images) || images.length < 2) return undefined;
  return `images: an item has one image. The first of ${images.length} images was stored, the others were ignored.`;
}

function toImage(old: Shape): Shape {
  if (!Object.hasOwn(old, 'images')) return old;
  const first = Array.isArray(old.images) ? old.images[0] : old.images;
  return { ...without(old, 'images'), image: first ?? null };
}

function toImages({ image, ...today }: Shape): Shape {
  return { ...today, images: image === undefined || image === null ? [] : [image] };
}

const photoDescriptions: VersionChange = {
  version: '20221208',
  kind: 'BREAKING',
  description: 'Photos of social posts are objects with a description: [{photo, description}]. Before, they were URLs.',
  touches: ['photos of a social post'],
  shapes: [textsToObjects('SocialPost', 'photos', 'photo', 'objects {photo, description}')],
};

export const changes2022: readonly VersionChange[] = [openingDate, photoDescriptions];
