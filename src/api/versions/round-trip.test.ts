import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeline } from './timeline.ts';
import type { Client, Shape } from './version-change.ts';
import { RouteWalk } from './walk.ts';

/** An old client that sends back a response does not change the record, apart from fields that its version lacks. */

/** Downgrades a record to a version and upgrades it again. */
function walkOf(kind: string) {
  const schema = { type: 'object', properties: {}, 'x-resource': kind };
  const inner = {
    Location: { services: { type: 'array', items: { properties: {}, 'x-resource': 'ServiceItem' } } },
  }[kind];
  const described = { ...schema, properties: inner ?? {} };
  return new RouteWalk(timeline, { method: 'PUT', path: '/test', body: described, response: described });
}

const text = fc.string({ minLength: 1, maxLength: 10 });
const day = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
const moment = day.map((date) => date.toISOString());
const label = fc.record({ id: fc.nat(), name: text, adminOnly: fc.boolean() });
const features = ['LOCATION_READ', 'LOCATION_WRITE', 'INBOX_READ', 'INBOX_WRITE', 'SOCIAL_POST_READ'];

const service = fc.record(
  { id: fc.nat(), title: text, identifier: text, description: text, translations: fc.constant({ de: {} }) },
  { requiredKeys: ['id', 'title'] },
);
const location = fc.record(
  {
    id: fc.nat(),
    name: text,
    openingDate: moment,
    labels: fc.array(label),
    services: fc.array(service),
    classification: fc.constantFrom('REQUIRED', 'BASIC'),
    utms: fc.array(fc.record({ type: text, parameters: text })),
    websiteExtra: text,
  },
  { requiredKeys: ['id', 'name', 'labels', 'services'] },
);
const url = fc.webUrl();
const action = fc.record({ directory: fc.constantFrom('GOOGLE', 'BING'), type: fc.constant('BOOK'), url });
const post = fc.record(
  {
    id: fc.nat(),
    type: fc.constantFrom('POST', 'OFFER', 'EVENT', 'QUESTION_AND_ANSWER'),
    description: text,
    publicationDate: moment,
    dateStart: moment,
    photos: fc.array(fc.record({ photo: url, description: text }, { requiredKeys: ['photo'] })),
    callToActions: fc.array(action),
    isStoreLocator: fc.boolean(),
  },
  { requiredKeys: ['id', 'type', 'publicationDate', 'photos', 'callToActions', 'isStoreLocator'] },
);
const plan = fc.record({ id: fc.nat(), name: text, status: fc.constantFrom('PENDING_APPROVAL', 'ACTIVE', 'INACTIVE') });
const user = fc.record({
  id: fc.nat(),
  features: fc.subarray(features),
  featuresDetailed: fc.constant({ LOCATION_WRITE: ['NAME'] }),
});
const maybe = fc.constantFrom(true, false, null);
const filter = fc.record({ id: fc.nat(), name: text, isRead: maybe, hasReply: maybe, hasText: maybe });

const item = fc.record({ id: fc.nat(), name: text, image: url }, { requiredKeys: ['id', 'name'] });
const settings = fc.record(
  { storeKey: text, mapApiKey: text, fields: fc.subarray(['phone', 'openingDate', 'services']) },
  { requiredKeys: ['storeKey', 'fields'] },
);

const kinds: Record<string, fc.Arbitrary<object>> = {
  Location: location,
  SocialPost: post,
  ProductPlan: plan,
  User: user,
  DataPointFilter: filter,
  ContentItem: item,
  StoreFinderSettings: settings,
};

const clients: fc.Arbitrary<Client> = fc.record({
  version: fc.constantFrom(...timeline.map(({ version }) => version)),
  planFeatures: fc.subarray(['COLLECTIONS']),
});
const unheard = () => undefined;

test.for(Object.entries(kinds))('%s', ([kind, records]) => {
  const walk = walkOf(kind);
  fc.assert(
    fc.property(records, clients, (record, client) => {
      const old = sent(walk.downgrade(client, record));
      const { body } = walk.upgrade(client, { query: {}, body: old }, unheard);
      expect(sorted(sent(walk.downgrade(client, body)))).toEqual(sorted(old));
      const unchanged = Object.entries(record).filter(([name, value]) => isDeepStrictEqual(old[name], value));
      expect(sorted(body)).toMatchObject(
        sorted(Object.fromEntries(unchanged.filter(([name]) => name !== 'dateStart'))),
      );
    }),
  );
});

test.for(['Location', 'SocialPost'])('labels of a %s keep their names, whatever they are', (kind) => {
  const walk = walkOf(kind);
  const client = { version: '20191202', planFeatures: [] };
  fc.assert(
    fc.property(fc.array(label), (labels) => {
      const old = walk.downgrade(client, { labels });
      const { body } = walk.upgrade(client, { query: {}, body: old }, unheard);
      expect(body).toMatchObject({ labels: labels.map(({ name }) => ({ name })) });
    }),
  );
});

test('an empty change stays empty in every version', () => {
  for (const kind of Object.keys(kinds)) {
    for (const { version } of timeline) {
      const client = { version, planFeatures: [] };
      expect(walkOf(kind).upgrade(client, { query: {}, body: {} }, unheard).body).toEqual({});
    }
  }
});

/** Serialized and parsed. */
const sent = (record: unknown): Shape => JSON.parse(JSON.stringify(record));

/** The order of features is not significant. */
function sorted(record: unknown): Record<string, unknown> {
  const shape = record as Record<string, unknown>;
  return Array.isArray(shape.features) ? { ...shape, features: [...shape.features].sort() } : shape;
}
