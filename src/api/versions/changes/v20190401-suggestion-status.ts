import { described, entries, hidden, isShape, type VersionChange, withField } from '../version-change.ts';

export const suggestionStatus: VersionChange = {
  version: '20190401',
  kind: 'BREAKING',
  description: 'Suggestions have a status, and are accepted or declined by PUT. Before, they had none.',
  touches: ['GET and PUT /api/locations/{id}/suggestions'],
  shapes: [
    {
      resource: 'Suggestion',
      replaced: {},
      downgrade: (today) => hidden(today, 'status'),
      describe: (today) => described(today, ['status'], {}),
    },
    {
      // They lay in the location then.
      resource: 'Location',
      replaced: {},
      downgrade: (today) =>
        withField(today, 'suggestions', (suggestions) =>
          entries(suggestions).map((one) => (isShape(one) ? hidden(one, 'status') : one)),
        ),
    },
  ],
};
