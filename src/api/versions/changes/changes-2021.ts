import { Problem } from '../../../problems.ts';
import {
  described,
  entries,
  omit,
  type RecordSchema,
  renameField,
  type Shape,
  type VersionChange,
  withField,
} from '../version-change.ts';
import { added, textsToObjects } from './kinds-of-change.ts';

const contentLists: VersionChange = {
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

const fieldsInSync: VersionChange = {
  version: '20210729',
  kind: 'BREAKING',
  description:
    'countFieldsInSync of listing health is deprecated and always 0. Before, it was the number of fields in sync.',
  touches: ['GET /api/dashboard/listing-health', 'GET /api/dashboard/listing-health/{locationId}'],
  calls: [
    { call: 'GET /api/dashboard/listing-health', granted: 'FIELDS_IN_SYNC_COUNTED' },
    { call: 'GET /api/dashboard/listing-health/:locationId', granted: 'FIELDS_IN_SYNC_COUNTED' },
  ],
};

const typesWithStart = new Set<unknown>(['OFFER', 'EVENT']);

const publicationDate: VersionChange = {
  version: '20210804',
  kind: 'BREAKING',
  description:
    'Social posts have a publicationDate; dateStart is required only for offers and events. Before, dateStart was the publication ' +
    'date and was required for every post.',
  touches: ['publicationDate and dateStart of a social post'],
  shapes: [
    {
      resource: 'SocialPost',
      reshaped: {
        dateStart: {
          before: 'as the date of publication',
          now: 'publicationDate',
          isOld: (_, post) => !Object.hasOwn(post, 'publicationDate'),
        },
      },
      upgrade: splitDateStart,
      downgrade: ({ publicationDate: published, ...today }) => ({ ...today, dateStart: today.dateStart ?? published }),
      describe: withoutPublicationDate,
    },
  ],
  calls: [
    { call: 'POST /api/social-posts', upgradeBody: requireDateStart },
    { call: 'PATCH /api/social-posts/:id', granted: 'DATE_START_PUBLISHES' },
    { call: 'PUT /api/social-posts/:id', granted: 'DATE_START_PUBLISHES' },
  ],
};

function splitDateStart(old: Shape): Shape {
  if (Object.hasOwn(old, 'publicationDate') || !Object.hasOwn(old, 'dateStart')) return old;
  return typesWithStart.has(old.type)
    ? { ...old, publicationDate: old.dateStart }
    : renameField(old, 'dateStart', 'publicationDate');
}

function requireDateStart(old: Shape): Shape {
  if ((old.dateStart ?? old.publicationDate ?? '') !== '') return old;
  const message = 'dateStart is required: it is the date of publication in versions before _20210804.';
  throw new Problem('MISSING_PARAMETER', { errors: [{ field: 'dateStart', rule: 'required', message }] });
}

/** Adds dateStart to the required fields of POST. Updates have no required fields. */
function withoutPublicationDate(today: RecordSchema): RecordSchema {
  const { required = [], ...schema } = described(today, ['publicationDate'], { dateStart: { type: 'string' } });
  return required.length > 0 ? { ...schema, required: [...new Set([...required, 'dateStart'])] } : schema;
}

const openNow: VersionChange = {
  version: '20210824',
  kind: 'BREAKING',
  description:
    'Search results of the store finder contain openNow only with openNow=true. Social posts can have several calls to ' +
    'action in callToActions; callToAction and url are those of the first.',
  touches: ['GET /api/store-finders/{storeKey}/locations', 'callToActions of a social post'],
  shapes: [
    {
      ...added('SocialPost', 'callToActions'),
      // Old clients could only send one.
      pathThen: (path) =>
        path
          .replace(/callToActions\[\d+\]\.url$/, 'url')
          .replace(/callToActions(\[\d+\](\.(type|directory))?)?$/, 'callToAction'),
    },
  ],
  calls: [
    { call: 'GET /api/store-finders/:storeKey/locations', granted: 'OPEN_NOW_ALWAYS' },
    { call: 'GET /api/store-finders/:storeKey/locations/all', granted: 'OPEN_NOW_ALWAYS' },
  ],
};

const allPhotos: VersionChange = {
  version: '20210907',
  kind: 'BREAKING',
  description: 'Store finder details contain all photos of a location. Before, they contained the main photo only.',
  touches: ['GET /api/store-finders/{storeKey}/locations/{id}'],
  shapes: [
    {
      resource: 'StoreFinderDetails',
      // The main photo comes first.
      downgrade: (today) => withField(today, 'photos', (photos) => entries(photos).slice(0, 1)),
    },
  ],
};

const filterTranslations: VersionChange = {
  version: '20211005',
  kind: 'BREAKING',
  description:
    'Values of store finder filters have translations: [{value, translations}]. Before, values were strings.',
  touches: ['GET /api/store-finders/{storeKey}/filters'],
  shapes: [
    textsToObjects('StoreFinderFilter', 'values', 'value', 'objects {value, translations}'),
    added('StoreFinderFilter', 'translations'),
  ],
};

const serviceItem = 'service items {identifier, title, …}';

const servicesAsItems: VersionChange = {
  version: '20211102',
  kind: 'BREAKING',
  description: 'Services of a location are objects: {identifier, title, description, …}. Before, they were strings.',
  touches: ['services of a location', 'services in the details of the store finder'],
  shapes: [
    textsToObjects('Location', 'services', 'title', serviceItem),
    textsToObjects('StoreFinderDetails', 'services', 'title', serviceItem),
  ],
};

export const changes2021: readonly VersionChange[] = [
  contentLists,
  {
    version: '20210215',
    kind: 'ADDITIVE',
    description:
      'Datapoints can be filtered by the last action in their thread: minThreadActionDate and maxThreadActionDate, in Unix milliseconds.',
    touches: ['GET /api/data-points'],
  },
  {
    version: '20210628',
    kind: 'ADDITIVE',
    description:
      'The features endpoint returns defaultFeatures, the features of a new user. Existing fields are unchanged.',
    touches: ['GET /api/features'],
  },
  fieldsInSync,
  publicationDate,
  openNow,
  allPhotos,
  filterTranslations,
  servicesAsItems,
];
