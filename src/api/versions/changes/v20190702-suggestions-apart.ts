import type { Schema } from '../../../json-schema.ts';
import { described, type VersionChange, without } from '../version-change.ts';
import { added } from './change-builders.ts';
import { locationReadCalls } from './location-calls.ts';

export const suggestionsApart: VersionChange = {
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
      describe: (current) => (isResponse(current) ? described(current, [], { suggestions }) : current),
    },
  ],
  calls: locationReadCalls('SUGGESTIONS_IN_LOCATIONS'),
};

const suggestions = { type: 'array', items: { type: 'object' } };

const isResponse = ({ properties = {} }: Schema) => 'id' in properties;
