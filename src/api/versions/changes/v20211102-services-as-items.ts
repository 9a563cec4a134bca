import {
  described,
  entries,
  isShape,
  type RecordSchema,
  type Shape,
  type VersionChange,
  withField,
} from '../version-change.ts';

export const servicesAsItems: VersionChange = {
  version: '20211102',
  kind: 'BREAKING',
  description:
    'The services of a location are service items: {identifier, title, description, …}. Before, they were texts.',
  touches: ['services of a location'],
  shapes: [
    {
      resource: 'Location',
      replaced: {},
      upgrade: (old) =>
        withField(old, 'services', (services) =>
          Array.isArray(services)
            ? services.map((service) => (typeof service === 'string' ? { title: service } : service))
            : services,
        ),
      downgrade: titlesOnly,
      describe: withTexts,
    },
    { resource: 'StoreFinderDetails', replaced: {}, downgrade: titlesOnly, describe: withTexts },
  ],
};

function titlesOnly(today: Shape): Shape {
  return withField(today, 'services', (services) =>
    entries(services).map((service) => (isShape(service) ? service.title : service)),
  );
}

function withTexts(today: RecordSchema): RecordSchema {
  return described(today, ['services'], { services: { type: 'array', items: { type: 'string' } } });
}
