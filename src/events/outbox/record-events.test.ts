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

const written = () =>
  rows('select (select count(*) from events) as events, (select count(*) from delivery_queue) as deliveries');

const created = ({ partner }: TestPartner, location: number): NewEvent => ({
  partner,
  type: 'LOCATION_CREATED',
  fields: { ...eventTypes.LOCATION_CREATED.example, location },
  time: new Date('2026-11-15T01:02:03.456Z'),
});

const moved = ({ partner }: TestPartner, location: number): NewEvent => ({
  partner,
  type: 'LOCATION_STATUS_CHANGED',
  fields: { ...eventTypes.LOCATION_STATUS_CHANGED.example, location },
});

const record = (events: NewEvent[]) => api.database.transaction((transaction) => recordEvents(transaction, events));

describe('many events', () => {
  test('give the same result as recording each of them alone', async () => {
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

  test('keep their order across types and partners, also in the returned ids', async () => {
    const [one, other] = [await api.addPartner(), await api.addPartner()];
    const events = [created(one, 1), moved(one, 2), created(other, 3), created(one, 4), moved(one, 5)];
    const ids = await record(events);
    const bodies = await rows('select id, body from events where id = any ($1)', [ids]);
    const locations = ids.map((id) => JSON.parse(bodies.find((row) => row.id === id).body).location);
    expect(locations).toEqual([1, 2, 3, 4, 5]);
    expect((ids[0] as number) < (ids[3] as number)).toBe(true);
    expect((ids[1] as number) < (ids[4] as number)).toBe(true);
  });

  test('can be none', async () => {
    const before = await written();
    expect(await record([])).toEqual([]);
    expect(await written()).toEqual(before);
  });
});

describe('events and their change are atomic', () => {
  test('an invalid event fails all of them', async () => {
    const partner = await api.addPartner();
    const before = await written();
    const misfit = { ...created(partner, 1), fields: { location: 'one' } as never };
    await expect(record([created(partner, 1), misfit])).rejects.toThrow(InvalidEventError);
    expect(await written()).toEqual(before);
  });

  test('a rollback leaves no event and no notification', async () => {
    const partner = await api.addPartner();
    await subscribe(partner, { type: 'LOCATION_CREATED' });
    const before = await written();
    const heard = { count: 0 };
    onTestFinished(
      api.database.notifications.subscribe(deliveriesChannel, () => {
        heard.count++;
      }),
    );
    const change = api.database.transaction(async (transaction) => {
      await recordEvents(transaction, [created(partner, 1), created(partner, 2)]);
      throw new Error('The change could not be made.');
    });
    await expect(change).rejects.toThrow('The change could not be made.');
    expect(await written()).toEqual(before);
    expect(heard.count).toBe(0);
    await record([created(partner, 1), created(partner, 2)]);
    expect(heard.count).toBe(1);
  });
});
