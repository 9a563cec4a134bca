import { described, hidden, type VersionChange } from '../version-change.ts';
import { locationCalls } from './location-calls.ts';

export const suggestionsApart: VersionChange = {
  version: '20190702',
  kind: 'BREAKING',
  description:
    'Suggestions are no longer part of a location; read them from the suggestions endpoint. A user has featuresDetailed.',
  touches: ['suggestions of a location', 'featuresDetailed of a user'],
  shapes: [
    {
      resource: 'User',
      replaced: {},
      downgrade: (today) => hidden(today, 'featuresDetailed'),
      describe: (today) => described(today, ['featuresDetailed'], {}),
    },
    {
      resource: 'Location',
      replaced: { suggestions: 'GET /api/locations/{id}/suggestions' },
      describe: (today) => described(today, [], { suggestions: { type: 'array', items: { type: 'object' } } }),
    },
  ],
  calls: locationCalls('SUGGESTIONS_IN_LOCATIONS'),
};
