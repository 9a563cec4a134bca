import {
  described,
  describedField,
  isShape,
  omit,
  type RecordSchema,
  type Shape,
  texts,
  type VersionChange,
  withEntries,
  without,
} from '../version-change.ts';
import { added, textsToObjects } from './kinds-of-change.ts';
import { locationReadCalls, locationWriteCalls } from './location-calls.ts';
import { splitInList, splitInUsers } from './split-features.ts';

const datapointPages: VersionChange = {
  version: '20190104',
  kind: 'BREAKING',
  description: 'Datapoint pages are limited to 1000 entries. Before, there was no limit.',
  touches: ['GET /api/data-points'],
  calls: [{ call: 'GET /api/data-points', granted: 'UNCAPPED_DATAPOINTS' }],
};

const suggestionStatus: VersionChange = {
  version: '20190401',
  kind: 'BREAKING',
  description: 'Suggestions have a status and are accepted or declined with PUT. Before, they had no status.',
  touches: ['GET and PUT /api/locations/{id}/suggestions'],
  shapes: [
    added('Suggestion', 'status'),
    {
      // Suggestions were part of the location.
      resource: 'Location',
      downgrade: (today) => withEntries(today, 'suggestions', (one) => (isShape(one) ? omit(one, 'status') : one)),
    },
  ],
};

const listing = {
  whole: 'LISTING',
  description: 'See and change locations',
  parts: ['LOCATION_WRITE', 'LOCATION_READ'],
};

const locationFeatures: VersionChange = {
  version: '20190423',
  kind: 'BREAKING',
  description: 'The user feature LISTING was split into LOCATION_WRITE and LOCATION_READ.',
  touches: ['features of a user'],
  shapes: [splitInUsers(listing)],
  calls: [splitInList(listing)],
};

const suggestionsApart: VersionChange = {
  version: '20190702',
  kind: 'BREAKING',
  description: 'Locations no longer contain suggestions. Use the suggestions endpoint. Users have featuresDetailed.',
  touches: ['suggestions of a location', 'featuresDetailed of a user'],
  shapes: [
    added('User', 'featuresDetailed'),
    {
      resource: 'Location',
      replaced: { suggestions: 'GET /api/locations/{id}/suggestions' },
      // Clients send back what they read; suggestions were always read-only.
      upgrade: (old) => without(old, 'suggestions'),
      describe: (today) => (isResponse(today) ? described(today, [], { suggestions: listOfObjects }) : today),
    },
  ],
  calls: locationReadCalls('SUGGESTIONS_IN_LOCATIONS'),
};

const listOfObjects = { type: 'array', items: { type: 'object' } };

const isResponse = ({ properties = {} }: RecordSchema) => 'id' in properties;

const pageStatus: VersionChange = {
  version: '20190716',
  kind: 'BREAKING',
  description: 'The field pageStatus of directory business pages was removed. It was always PUBLISHED.',
  touches: ['GET /api/directory-business-pages'],
  shapes: [
    {
      resource: 'DirectoryBusinessPage',
      replaced: { pageStatus: 'nothing' },
      downgrade: (today) => ({ ...today, pageStatus: 'PUBLISHED' }),
      describe: (today) => described(today, [], { pageStatus: { type: 'string' } }),
    },
  ],
};

const renamedFilters = { onlyUnread: 'isRead', onlyUnreplied: 'hasReply' };

const datapointFilters: VersionChange = {
  version: '20191022',
  kind: 'BREAKING',
  description:
    'Datapoints are filtered by isRead, hasReply and hasText, each true, false or absent. Before, the filters onlyUnread ' +
    'and onlyUnreplied could only find unread and unreplied datapoints.',
  touches: ['GET /api/data-points', '/api/data-points/filters'],
  shapes: [
    {
      resource: 'DataPointFilter',
      replaced: renamedFilters,
      upgrade: fromOnlyFilters,
      downgrade: toOnlyFilters,
      describe: withOnlyFilters,
    },
  ],
  calls: [
    {
      call: 'GET /api/data-points',
      replaced: renamedFilters,
      upgradeQuery: upgradeFilterQuery,
      describeQuery: withOnlyFilters,
    },
    { call: 'PATCH /api/data-points/filters/:id', granted: 'ONLY_UNREAD_OR_ALL' },
    { call: 'PUT /api/data-points/filters/:id', granted: 'ONLY_UNREAD_OR_ALL' },
  ],
};

function fromOnlyFilters(old: Shape): Shape {
  const { onlyUnread, onlyUnreplied, ...rest } = old;
  return {
    ...rest,
    ...(onlyUnread !== undefined && { isRead: negated(onlyUnread) }),
    ...(onlyUnreplied !== undefined && { hasReply: negated(onlyUnreplied) }),
  };
}

/** Other values are left to the validator. */
const negated = (only: unknown) => (only === true ? false : only === false || only === null ? null : only);

/** Query values are strings, and an absent filter matches both. */
function upgradeFilterQuery({ onlyUnread, onlyUnreplied, ...rest }: Shape): Shape {
  return { ...rest, ...inQuery('isRead', onlyUnread), ...inQuery('hasReply', onlyUnreplied) };
}

function inQuery(name: string, only: unknown): Shape {
  const text = String(only ?? 'false').toLowerCase();
  return text === 'false' || text === '' ? {} : { [name]: text === 'true' ? 'false' : only };
}

function toOnlyFilters(today: Shape): Shape {
  return {
    ...without(today, 'isRead', 'hasReply', 'hasText'),
    onlyUnread: today.isRead === false,
    onlyUnreplied: today.hasReply === false,
  };
}

function withOnlyFilters(today: RecordSchema): RecordSchema {
  const flag = { type: 'boolean' };
  return described(today, ['isRead', 'hasReply', 'hasText'], { onlyUnread: flag, onlyUnreplied: flag });
}

const labelObjects = 'objects {id} or {name}';
const onlyAdmins = 'ONLY_ADMINS_CREATE_LABELS';

const labelsAsObjects: VersionChange = {
  version: '20191203',
  kind: 'BREAKING',
  description:
    'Labels are objects {id, name, adminOnly}, and all users can create them. Before, labels were strings, and only ' +
    'administrators could create them. The profile completeness and each location field have a classification: REQUIRED, ' +
    'BASIC, ADVANCED or BONUS.',
  touches: ['labels and classification of a location', '/api/labels', 'GET /api/locations/fields'],
  shapes: [
    textsToObjects('Location', 'labels', 'name', labelObjects),
    added('Location', 'classification'),
    textsToObjects('SocialPost', 'labels', 'name', labelObjects),
  ],
  calls: [
    {
      call: 'GET /api/labels',
      downgradeResponse: (today) => withEntries(today, 'labels', (label) => (isShape(label) ? label.name : label)),
      describeResponse: (today) => describedField(today, 'labels', () => texts),
    },
    {
      call: 'GET /api/locations/fields',
      downgradeResponse: (today) =>
        withEntries(today, 'fields', (field) => (isShape(field) ? omit(field, 'classification') : field)),
      describeResponse: (today) =>
        describedField(today, 'fields', (fields) => ({
          ...fields,
          items: described(fields.items as RecordSchema, ['classification'], {}),
        })),
    },
    { call: 'POST /api/labels', granted: onlyAdmins },
    ...locationWriteCalls(onlyAdmins),
  ],
};

export const changes2019: readonly VersionChange[] = [
  datapointPages,
  {
    version: '20190128',
    kind: 'ADDITIVE',
    description: 'Dashboard exports can be grouped by day, week, month or year with the parameter group.',
    touches: ['POST /api/dashboard-exports'],
  },
  suggestionStatus,
  locationFeatures,
  suggestionsApart,
  pageStatus,
  datapointFilters,
  labelsAsObjects,
];
