import { isShape, omit, withEntries } from '../shape.ts';
import type { VersionChange } from '../version-change.ts';
import { added } from './kinds-of-change.ts';

export const suggestionStatus: VersionChange = {
  version: '20190401',
  kind: 'BREAKING',
  description: 'Suggestions have a status, and are accepted or declined by PUT. Before, they had none.',
  touches: ['GET and PUT /api/locations/{id}/suggestions'],
  shapes: [
    added('Suggestion', 'status'),
    {
      // They lay in the location then.
      resource: 'Location',
      downgrade: (today) => withEntries(today, 'suggestions', (one) => (isShape(one) ? omit(one, 'status') : one)),
    },
  ],
};
