import { described, type RecordSchema, without } from '../shape.ts';
import type { VersionChange } from '../version-change.ts';
import { added } from './kinds-of-change.ts';
import { locationReadCalls } from './location-calls.ts';

export const suggestionsApart: VersionChange = {
  version: '20190702',
  kind: 'BREAKING',
  description:
    'Suggestions are no longer part of a location; read them from the suggestions endpoint. A user has featuresDetailed.',
  touches: ['suggestions of a location', 'featuresDetailed of a user'],
  shapes: [
    added('User', 'featuresDetailed'),
    {
      resource: 'Location',
      replaced: { suggestions: 'GET /api/locations/{id}/suggestions' },
      // Whoever sends back what he read sends them too; they could never be written that way.
      upgrade: (old) => without(old, 'suggestions'),
      describe: (today) => (isAnswer(today) ? described(today, [], { suggestions }) : today),
    },
  ],
  calls: locationReadCalls('SUGGESTIONS_IN_LOCATIONS'),
};

const suggestions = { type: 'array', items: { type: 'object' } };

const isAnswer = ({ properties = {} }: RecordSchema) => 'id' in properties;
