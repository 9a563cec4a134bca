import canonicalize from 'canonicalize';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyDelivery } from '../../../receiver/receiver.ts';
import { TestApi } from '../../../test/support/api.ts';
import { inlineContentOf, operationsOf } from '../../../test/support/documented-responses.ts';
import { eventTypeNames } from '../../events/catalogue/catalogue.ts';
import type { Schema } from '../../json-schema.ts';
import { newestVersion } from '../versions/timeline.ts';
import { testVector } from './event-webhooks.ts';
import { type OpenApiDocument, openApiDocument } from './openapi-document.ts';

let api: TestApi;
let document: OpenApiDocument;
beforeAll(async () => {
  api = await TestApi.start();
  document = (await api.call('GET', `/docs/openapi/${newestVersion}.json`)).body;
});
afterAll(() => api.close());

test('operations have a readable name, a description, a described tag and the version parameter', () => {
  const tags = new Set(document.tags.filter(({ description }) => description).map(({ name }) => name));
  for (const { path, operation } of operationsOf(document)) {
    expect(operation.operationId, path).toMatch(/^[a-z]+[A-Z][A-Za-z]*$/);
    expect(operation.description.length, path).toBeGreaterThan(operation.summary.length);
    expect(tags, path).toContain(operation.tags[0]);
    expect(operation.parameters, path).toContainEqual({ $ref: '#/components/parameters/ApiVersion' });
  }
  expect(document.paths['/api/locations/{id}']?.get?.operationId).toBe('getLocation');
  expect(document.paths['/api/businesses/{id}']?.delete?.operationId).toBe('deleteBusiness');
});

test('summaries and descriptions use "an" before a vowel', () => {
  expect(JSON.stringify(document).match(/\b[Aa] [AEIOaeio]\w+ \w+/g)).toBeNull();
});

test('core records have names', () => {
  const names = [
    'Webhook',
    'Event',
    'Delivery',
    'Attempt',
    'Location',
    'Business',
    'Listing',
    'DataPoint',
    'SalesPartner',
  ];
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...names, 'Category', 'Directory']));
});

test('failures share one schema, and enums have a type', () => {
  for (const { path, operation } of operationsOf(document)) {
    for (const [code, response] of Object.entries(operation.responses)) {
      if (code < '400') continue;
      // A bulk call that failed as a whole also reports the result of each item.
      const ofItems = inlineContentOf(response)['application/json']?.schema.properties?.response;
      expect('$ref' in response || ofItems !== undefined, `${path} ${code}`).toBe(true);
    }
  }
  const withoutType: unknown[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray((value as Schema).enum) && (value as Schema).type === undefined) withoutType.push(value);
    for (const inner of Object.values(value)) look(inner);
  };
  look({ paths: document.paths, components: document.components });
  expect(withoutType).toEqual([]);
});

test('the events are webhooks with a correctly signed example', () => {
  expect(Object.keys(document.webhooks)).toEqual([...eventTypeNames]);
  for (const { post } of Object.values(document.webhooks)) {
    const { event, signature } = post.requestBody.content['application/json'].examples.example.value;
    const body = `{"event":${canonicalize(event)},"signature":"${signature}"}`;
    expect(verifyDelivery({ body, privateKey: testVector.privateKey })).toEqual(event);
  }
});

test('contains the server URL', async () => {
  expect(document.servers).toEqual([{ url: '/', description: 'This installation' }]);
  const serverUrl = 'https://waypost.example';
  expect(openApiDocument(api.server.routeRecords, newestVersion, { serverUrl }).servers[0]?.url).toBe(serverUrl);
});
