import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { eventTypes } from '../catalogue/catalogue.ts';
import { deliveriesChannel, InvalidEventError, type NewEvent, recordEvent, recordEvents } from './record-event.ts';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

const subscribe = async (partner: TestPartner, settings: object): Promise<number> =>
  (
    await partner.call('POST', '/api/sales-partners/webhooks', {
      pushUrl: `http://127.0.0.1:9/${randomUUID()}`,
      ...settings,
    })
  ).body.response.id;

const rows = async (statement: string, values: unknown[] = []) =>
  (await api.database.pool.query(statement, values)).rows;

const countRows = () =>
  rows('select (select count(*) from events) as events, (select count(*) from delivery_queue) as deliveries');

const created = ({ partner }: TestPartner, location: number): NewEvent => ({
  partner,
  type: 'LOCATION_CREATED',
  fields: { ...eventTypes.LOCATION_CREATED.example, location },
  time: new Date('2026-11-15T01:02:03.456Z'),
});

const statusChanged = ({ partner }: TestPartner, location: number): NewEvent => ({
  partner,
  type: 'LOCATION_STATUS_CHANGED',
  fields: { ...eventTypes.LOCATION_STATUS_CHANGED.example, location },
});

const record = (events: NewEvent[]) => api.database.transaction((transaction) => recordEvents(transaction, events));

describe('many events', () => {
  test('are recorded like single events', async () => {
    const parent = await api.addPartner();
    const partner = await api.addPartner(parent);
    const own = await subscribe(partner, { type: 'LOCATION_CREATED' });
    const ancestors = await subscribe(parent, { type: 'LOCATION_CREATED' });
    await subscribe(parent, { type: 'LOCATION_CREATED', includeChildren: false });
    await subscribe(partner, { type: 'LOCATION_CREATED', enabled: false });
    const single = await api.database.transaction((sql) => recordEvent(sql, created(partner, 7)));
    const ids = await record([created(partner, 7), created(partner, 8)]);
    const [one, first, second] = await rows('select * from events where id = any ($1) order by id', [[single, ...ids]]);
    expect(first.body.replace(`"id":${ids[0]}`, `"id":${single}`)).toBe(one.body);
    expect(JSON.parse(second.body)).toMatchObject({ id: ids[1], location: 8 });
    expect(
      await rows(
        'select event_id as event, webhook_id as webhook, lane, attempts from delivery_queue where event_id = any ($1) order by 1, 2',
        [ids],
      ),
    ).toEqual(
      ids.flatMap((event) =>
        [ancestors, own].sort((a, b) => a - b).map((webhook) => ({ event, webhook, lane: 0, attempts: 0 })),
      ),
    );
  });

  test('keep their order within a partner and type, and get one id each', async () => {
    const [partner, other] = [await api.addPartner(), await api.addPartner()];
    const events = [
      created(partner, 1),
      statusChanged(partner, 2),
      created(other, 3),
      created(partner, 4),
      statusChanged(partner, 5),
    ];
    const ids = await record(events);
    const bodies = await rows('select id, body from events where id = any ($1)', [ids]);
    const locations = ids.map((id) => JSON.parse(bodies.find((row) => row.id === id).body).location);
    expect(locations).toEqual([1, 2, 3, 4, 5]);
    expect((ids[0] as number) < (ids[3] as number)).toBe(true);
    expect((ids[1] as number) < (ids[4] as number)).toBe(true);
  });

  test('can be an empty list', async () => {
    const before = await countRows();
    expect(await record([])).toEqual([]);
    expect(await countRows()).toEqual(before);
  });
});

describe('a transaction with events', () => {
  test('records no event if one of them is invalid', async () => {
    const partner = await api.addPartner();
    const before = await countRows();
    const invalid = { ...created(partner, 1), fields: { location: 'one' } as never };
    await expect(record([created(partner, 1), invalid])).rejects.toThrow(InvalidEventError);
    expect(await countRows()).toEqual(before);
  });

  test('leaves no event and no notification after a rollback', async () => {
    const partner = await api.addPartner();
    await subscribe(partner, { type: 'LOCATION_CREATED' });
    const before = await countRows();
    let notifications = 0;
    onTestFinished(
      api.database.notifications.subscribe(deliveriesChannel, () => {
        notifications += 1;
      }),
    );
    const change = api.database.transaction(async (transaction) => {
      await recordEvents(transaction, [created(partner, 1), created(partner, 2)]);
      throw new Error('The change failed.');
    });
    await expect(change).rejects.toThrow('The change failed.');
    expect(await countRows()).toEqual(before);
    expect(notifications).toBe(0);
    await record([created(partner, 1), created(partner, 2)]);
    expect(notifications).toBe(1);
  });
});
