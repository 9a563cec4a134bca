import {
  described,
  describedEntries,
  describedField,
  isShape,
  omit,
  stringList,
  type VersionChange,
  withEntries,
} from '../version-change.ts';
import { added, stringsToObjects } from './change-builders.ts';
import { locationWriteCalls } from './location-calls.ts';

const now = 'objects {id} or {name}';
const onlyAdmins = 'ONLY_ADMINS_CREATE_LABELS';

export const labelsAsObjects: VersionChange = {
  version: '20191203',
  kind: 'BREAKING',
  description:
    'Labels are objects {id, name, adminOnly}, and all users can create them. Before, labels were strings, and only ' +
    'administrators could create them. The profile completeness and each location field have a classification: REQUIRED, ' +
    'BASIC, ADVANCED or BONUS.',
  touches: ['labels and classification of a location', '/api/labels', 'GET /api/locations/fields'],
  shapes: [
    stringsToObjects('Location', 'labels', 'name', now),
    added('Location', 'classification'),
    stringsToObjects('SocialPost', 'labels', 'name', now),
  ],
  calls: [
    {
      call: 'GET /api/labels',
      downgradeResponse: (current) => withEntries(current, 'labels', (label) => (isShape(label) ? label.name : label)),
      describeResponse: (current) => describedField(current, 'labels', () => stringList),
    },
    {
      call: 'GET /api/locations/fields',
      downgradeResponse: (current) =>
        withEntries(current, 'fields', (field) => (isShape(field) ? omit(field, 'classification') : field)),
      describeResponse: (current) =>
        describedEntries(current, 'fields', (field) => described(field, ['classification'], {})),
    },
    { call: 'POST /api/labels', granted: onlyAdmins },
    ...locationWriteCalls(onlyAdmins),
  ],
};
