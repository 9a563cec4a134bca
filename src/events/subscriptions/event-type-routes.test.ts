import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { eventTypeNames } from '../catalogue/catalogue.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

test('lists every event type as subscribable', async () => {
  const { body } = await partner.call('GET', '/api/sales-partners/subscribable-event-types');
  expect(body).toEqual({ status: 'SUCCESS', response: { subscribableEventTypes: eventTypeNames } });
  expect(eventTypeNames).toHaveLength(18);
});

test('describes every event type', async () => {
  const { body } = await partner.call('GET', '/api/event-types');
  expect(body.response.eventTypes.map(({ type }: { type: string }) => type)).toEqual(eventTypeNames);
  for (const { description } of body.response.eventTypes) expect(description).not.toBe('');
  const update = body.response.eventTypes.find(({ type }: { type: string }) => type === 'LISTING_UPDATE');
  expect(update.filterFields).toEqual(
    expect.arrayContaining([
      { name: 'business', kind: 'NUMBER' },
      { name: 'labels', kind: 'NUMBER' },
      { name: 'directoryType', kind: 'TEXT' },
      { name: 'updateResult', kind: 'TEXT', values: expect.arrayContaining(['FAILURE', 'SUCCESS']) },
    ]),
  );
});

test.each(eventTypeNames)('has a valid example for %s', async (type) => {
  const { body } = await partner.call('GET', `/api/event-types/${type}`);
  const { schema, example, description } = body.response;
  expect(body.response.type).toBe(type);
  expect(description).not.toBe('');
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
});

test('returns 404 for an unknown type and lists the valid ones', async () => {
  for (const type of ['NEWS', 'constructor', 'location_created']) {
    const response = await partner.call('GET', `/api/event-types/${type}`);
    expect(response).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
    expect(response.body.message).toContain('LOCATION_CREATED');
  }
});
