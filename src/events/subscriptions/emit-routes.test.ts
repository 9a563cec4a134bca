import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { eventTypeNames, eventTypes } from '../catalogue/catalogue.ts';

let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_EMIT_EXAMPLES: 'on' });
  partner = await api.addPartner();
});
afterAll(() => api.close());

const emit = (type: string, body?: unknown, headers?: Record<string, string>) =>
  partner.call('POST', `/api/event-types/${type}/emit`, body, headers);

async function recorded(ids: readonly number[]): Promise<Record<string, unknown>[]> {
  const { rows } = await api.database.pool.query<{ body: string }>(
    'select body from events where id = any ($1) order by id',
    [ids],
  );
  return rows.map(({ body }) => JSON.parse(body));
}

const countEvents = async () => (await api.database.pool.query('select count(*) from events')).rows[0].count;

test.each(eventTypeNames)('records an example of %s for the calling partner', async (type) => {
  const { code, body } = await emit(type);
  expect(code).toBe(200);
  const [id] = body.response.eventIds;
  expect(await recorded(body.response.eventIds)).toEqual([
    {
      ...eventTypes[type].example,
      id,
      type,
      time: expect.any(String),
      salesPartnerIdentifier: partner.partner.identifier,
    },
  ]);
});

test('queues the event for subscribed webhooks', async () => {
  const webhook = { pushUrl: 'http://127.0.0.1:9/', type: 'BUSINESS_CREATED' };
  const { body: created } = await partner.call('POST', '/api/sales-partners/webhooks', webhook);
  const { body } = await emit('BUSINESS_CREATED', { count: 2 });
  const { rows } = await api.database.pool.query('select event_id from delivery_queue where webhook_id = $1', [
    created.response.id,
  ]);
  expect(rows.map(({ event_id }) => event_id)).toEqual(body.response.eventIds);
});

test('records 1000 events with increasing ids', async () => {
  const { body } = await emit('LOCATION_CREATED', { count: 1000 });
  const ids: number[] = body.response.eventIds;
  expect(new Set(ids).size).toBe(1000);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(await recorded(ids)).toHaveLength(1000);
});

test('rejects more than 16 MiB and reports the maximum count', async () => {
  const before = await countEvents();
  const fields = { comment: 'x'.repeat(900 * 1024) };
  const { code, body } = await emit('LOCATION_CREATED', { count: 1000, fields });
  expect({ code, errors: body.errors }).toEqual({
    code: 400,
    errors: [{ field: 'count', rule: 'maximum', message: expect.stringContaining('Set count to 18 or less') }],
  });
  expect(await countEvents()).toEqual(before);
  expect((await emit('LOCATION_CREATED', { count: 18, fields })).body.response.eventIds).toHaveLength(18);
});

test('records nothing for a repeated Idempotency-Key', async () => {
  const send = () => emit('LOCATION_CREATED', { count: 3 }, { 'idempotency-key': 'once' });
  const [first, again] = await Promise.all([send(), send()]);
  expect(again.body).toEqual(first.body);
});

describe('fields', () => {
  test('replace those of the example', async () => {
    const fields = { from: 'CREATED', to: 'ACTIVE', location: 7 };
    const { body } = await emit('LOCATION_STATUS_CHANGED', { fields });
    const { example } = eventTypes.LOCATION_STATUS_CHANGED;
    expect(await recorded(body.response.eventIds)).toMatchObject([{ ...example, ...fields }]);
  });

  test('null omits an optional field and is a value of a nullable field', async () => {
    const { body } = await emit('LOCATION_STATUS_CHANGED', { fields: { user: null } });
    expect((await recorded(body.response.eventIds))[0]).not.toHaveProperty('user');
    const update = await emit('LISTING_UPDATE', { fields: { updateResult: 'SUCCESS', updateStatus: null } });
    expect(await recorded(update.body.response.eventIds)).toMatchObject([{ updateStatus: null }]);
  });

  test.each([
    ['of the wrong type', 'LOCATION_CREATED', { location: 'seven' }, 'fields.location', 'type'],
    ['of an unknown value', 'LOCATION_CREATED', { source: 'FAX' }, 'fields.source', 'enum'],
    ['that must be there', 'LOCATION_CREATED', { location: null }, 'fields.location', 'type'],
    ['that the type does not have', 'LOCATION_CREATED', { listing: 7 }, 'fields.listing', 'unknown-field'],
    ['that every event has by itself', 'LOCATION_CREATED', { id: 7 }, 'fields.id', 'unknown-field'],
    ['that contradict each other', 'LOCATION_STATUS_CHANGED', { from: 'ACTIVE', to: 'ACTIVE' }, 'fields.to', 'moved'],
    [
      'named like what every object has',
      'LOCATION_CREATED',
      { constructor: null },
      'fields.constructor',
      'unknown-field',
    ],
  ])('%s are refused by name and rule, and nothing is recorded', async (_, type, fields, field, rule) => {
    const before = await countEvents();
    expect(await emit(type, { fields })).toMatchObject({
      code: 400,
      body: { status: 'INVALID_PARAMETER', errors: [{ field, rule, message: expect.any(String) }] },
    });
    expect(await countEvents()).toBe(before);
  });

  test.each([['text'], [[1]], [7]])('rejects fields %j', async (fields) => {
    expect(await emit('LOCATION_CREATED', { fields })).toMatchObject({
      code: 400,
      body: { errors: [{ field: 'fields', rule: 'type' }] },
    });
  });
});

test.each([0, 1001, 1.5, '2'])('rejects a count of %j', async (count) => {
  expect(await emit('LOCATION_CREATED', { count })).toMatchObject({
    code: 400,
    body: { errors: [{ field: 'count' }] },
  });
});

test('returns 404 for an unknown type', async () => {
  for (const type of ['NEWS', 'constructor', 'location_created']) {
    expect(await emit(type)).toMatchObject({ code: 404, body: { status: 'NOT_FOUND' } });
  }
});

describe('the setting', () => {
  test.each([
    ['demo mode opens the call', { WAYPOST_DEMO: 'on' }, 200],
    ['without demo mode it is closed', { WAYPOST_DEMO: 'off' }, 403],
    ['it can be closed in demo mode', { WAYPOST_DEMO: 'on', WAYPOST_EMIT_EXAMPLES: 'off' }, 403],
    ['it can be opened without demo mode', { WAYPOST_DEMO: 'off', WAYPOST_EMIT_EXAMPLES: 'on' }, 200],
  ])('%s', async (_, env, code) => {
    const server = await TestApi.start(env);
    try {
      const caller = await server.addPartner();
      const response = await caller.call('POST', '/api/event-types/LOCATION_CREATED/emit');
      expect(response.code).toBe(code);
      if (code === 403) {
        expect(response.body).toMatchObject({
          status: 'FORBIDDEN',
          message: expect.stringContaining('WAYPOST_EMIT_EXAMPLES=on'),
        });
      }
    } finally {
      await server.close();
    }
  });
});
