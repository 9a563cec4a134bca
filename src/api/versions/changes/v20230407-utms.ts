import { described, hidden, type VersionChange } from '../version-change.ts';

export const utms: VersionChange = {
  version: '20230407',
  kind: 'BREAKING',
  description:
    'A location has UTM parameters for each directory in utms: [{type, parameters}]. websiteExtra is the entry of GOOGLE; it ' +
    'can still be read and written.',
  touches: ['utms and websiteExtra of a location'],
  shapes: [
    {
      resource: 'Location',
      replaced: {},
      downgrade: (today) => hidden(today, 'utms'),
      describe: (today) => described(today, ['utms'], {}),
    },
  ],
};
