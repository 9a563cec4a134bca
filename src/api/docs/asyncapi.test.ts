import specs from '@asyncapi/specs';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyDelivery } from '../../../receiver/receiver.ts';
import { TestApi } from '../../../test/support/api.ts';
import { startReceiver } from '../../../test/support/delivery.ts';
import { eventTypeNames } from '../../events/catalogue/catalogue.ts';
import { testVector } from '../openapi/event-webhooks.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as published
type Document = any;

let api: TestApi;
let document: Document;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  document = (await api.call('GET', '/docs/asyncapi.json')).body;
});
afterAll(() => api.close());

test('is valid by the JSON Schema of AsyncAPI 3.0', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const isValid = ajv.compile(specs.schemasWithoutId['3.0.0'] as object);
  isValid(document);
  expect(isValid.errors).toBe(null);
});

test('spectral reports no problems', async () => {
  const linter = new spectral.Spectral();
  // 3.0 is the version that most tools support. An installation has no common e-mail address.
  const rules = { 'asyncapi-latest-version': 'off', 'asyncapi-info-contact-properties': 'off' };
  linter.setRuleset({ extends: [rulesets.asyncapi], rules } as never);
  const problems = await linter.run(document);
  expect(problems.map(({ code, message, path }) => [code, message, path.join('/')])).toEqual([]);
});

test('every reference exists', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(4 * eventTypeNames.length);
  const find = (path: string) => path.split('/').reduce((part, name) => part?.[name], document);
  expect(references.filter((path) => find(path) === undefined)).toEqual([]);
});

/** Schemas of the payload and the headers of a message. */
function validatorsOf(type: string) {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const { schemas, messages, messageTraits } = document.components;
  const payload = { components: { schemas }, ...messages[type].payload };
  return { payload: ajv.compile(payload), headers: ajv.compile(messageTraits.delivery.headers) };
}

test.each(eventTypeNames)('%s has an operation, the schema of the catalogue and a valid example', async (type) => {
  const { call } = await api.addPartner();
  const operations: Document[] = Object.values(document.operations);
  const sending = operations.filter(({ messages }) => messages[0].$ref === `#/channels/destination/messages/${type}`);
  expect(sending).toMatchObject([{ action: 'send', messages: [{}] }]);

  const name = document.components.messages[type].payload.allOf[1].properties.event.$ref.split('/').at(-1);
  const { $schema, title, ...published } = (await call('GET', `/api/event-types/${type}`)).body.response.schema;
  expect(document.components.schemas[name]).toEqual({ ...published, title: name });

  const [example] = document.components.messages[type].examples;
  const valid = validatorsOf(type);
  expect([valid.payload(example.payload), valid.headers(example.headers)]).toEqual([true, true]);
  expect(valid.payload({ ...example.payload, event: { ...example.payload.event, type: 'OTHER' } })).toBe(false);
  verifyDelivery({ body: JSON.stringify(example.payload), privateKey: testVector.privateKey });
});

test('describes a real delivery', async () => {
  const receiver = await startReceiver();
  const { call } = await api.addPartner();
  const type = 'LISTING_UPDATE';
  const { body } = await call('POST', '/api/sales-partners/webhooks', { type, pushUrl: receiver.url('/hook') });
  await call('POST', `/api/sales-partners/webhooks/${body.response.id}/test`, {});
  await receiver.close();
  const [request] = receiver.requests;
  const valid = validatorsOf(type);
  expect(valid.payload(JSON.parse(request?.body ?? ''))).toBe(true);
  expect(valid.headers(request?.headers)).toBe(true);
  const { 'webhook-signature': _, ...unsigned } = request?.headers ?? {};
  expect(valid.headers(unsigned)).toBe(false);
});
