import { isShape, omit, type VersionChange, withEntries } from '../version-change.ts';
import { added } from './change-builders.ts';

export const suggestionStatus: VersionChange = {
  version: '20190401',
  kind: 'BREAKING',
  description: 'Suggestions have a status and are accepted or declined with PUT. Before, they had no status.',
  touches: ['GET and PUT /api/locations/{id}/suggestions'],
  shapes: [
    added('Suggestion', 'status'),
    {
      // Suggestions were part of the location.
      resource: 'Location',
      downgrade: (current) => withEntries(current, 'suggestions', (one) => (isShape(one) ? omit(one, 'status') : one)),
    },
  ],
};
