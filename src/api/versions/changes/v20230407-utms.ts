import type { VersionChange } from '../version-change.ts';
import { added } from './change-builders.ts';
import { renamedInFieldNames } from './location-calls.ts';

export const utms: VersionChange = {
  version: '20230407',
  kind: 'BREAKING',
  description:
    'Locations have UTM parameters per directory in utms: [{type, parameters}]. websiteExtra is the entry of GOOGLE and can ' +
    'still be read and written.',
  touches: ['utms and websiteExtra of a location'],
  shapes: [added('Location', 'utms')],
  calls: renamedInFieldNames('websiteExtra', 'utms'),
};
