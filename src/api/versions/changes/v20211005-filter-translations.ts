import { described, entries, isShape, type Shape, type VersionChange, without } from '../version-change.ts';

export const filterTranslations: VersionChange = {
  version: '20211005',
  kind: 'BREAKING',
  description:
    'Filters of the store finder have values with translations: [{value, translations}]. Before, values were texts.',
  touches: ['GET /api/store-finders/{storeKey}/filters'],
  shapes: [
    {
      resource: 'StoreFinderFilter',
      replaced: {},
      downgrade: withTexts,
      describe: (today) =>
        described(today, ['translations', 'values'], { values: { type: 'array', items: { type: 'string' } } }),
    },
  ],
};

function withTexts(today: Shape): Shape {
  return {
    ...without(today, 'translations'),
    values: entries(today.values).map((value) => (isShape(value) ? value.value : value)),
  };
}
