import { randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import type { Transaction } from '../../database/transaction.ts';
import { eventTypes } from '../catalogue/catalogue.ts';
import { deliveriesChannel, InvalidEventError, recordEvent } from './record-event.ts';

const type = 'LOCATION_CREATED';
const fields = eventTypes[type].example;
let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

async function subscribe(partner: TestPartner, settings: object = {}): Promise<number> {
  const webhook = { pushUrl: `http://127.0.0.1:9/${randomUUID()}`, type, ...settings };
  return (await partner.call('POST', '/api/sales-partners/webhooks', webhook)).body.response.id;
}

const record = ({ partner }: TestPartner) =>
  api.database.transaction((transaction) => recordEvent(transaction, { partner, type, fields }));

const rows = async (statement: string, values: unknown[]) => (await api.database.pool.query(statement, values)).rows;

/** The webhooks that an event waits for. */
const waitingFor = async (eventId: number): Promise<number[]> =>
  (await rows('select webhook_id as id from delivery_queue where event_id = $1 order by id', [eventId])).map(
    ({ id }) => id,
  );

/** Everything that recording can write, to be compared. */
const written = () =>
  rows('select (select count(*) from events) as events, (select count(*) from delivery_queue) as deliveries', []);

function wakeUps(): { count: number } {
  const heard = { count: 0 };
  onTestFinished(
    api.database.notifications.subscribe(deliveriesChannel, () => {
      heard.count++;
    }),
  );
  return heard;
}

describe('recipients of an event', () => {
  test('are the webhooks of its partner and type', async () => {
    const [partner, stranger] = [await api.addPartner(), await api.addPartner()];
    const webhooks = [await subscribe(partner), await subscribe(partner)];
    await subscribe(partner, { type: 'BUSINESS_CREATED' });
    await subscribe(stranger);
    expect(await waitingFor(await record(partner))).toEqual(webhooks);
  });

  test('do not include disabled or deleted webhooks', async () => {
    const partner = await api.addPartner();
    await subscribe(partner, { enabled: false });
    const deleted = await subscribe(partner);
    await partner.call('DELETE', `/api/sales-partners/webhooks/${deleted}`);
    expect(await waitingFor(await record(partner))).toEqual([]);
  });

  test('include webhooks of ancestors, unless they exclude children', async () => {
    const grandparent = await api.addPartner();
    const parent = await api.addPartner(grandparent);
    const child = await api.addPartner(parent);
    const sibling = await api.addPartner(parent);
    const high = await subscribe(grandparent);
    const middle = await subscribe(parent);
    const own = await subscribe(child);
    await subscribe(sibling);
    const selfish = await subscribe(parent, { includeChildren: false });
    expect(await waitingFor(await record(child))).toEqual([high, middle, own]);
    expect(await waitingFor(await record(parent))).toEqual([high, middle, selfish]);
    expect(await waitingFor(await record(grandparent))).toEqual([high]);
  });
});

describe('the stored event', () => {
  test('is the text to sign: sorted, with id, time and partner', async () => {
    const partner = await api.addPartner();
    const time = new Date('2026-11-15T01:02:03.456Z');
    const id = await api.database.transaction((transaction) =>
      recordEvent(transaction, { partner: partner.partner, type, fields, time }),
    );
    const [event] = await rows('select body, type, partner_id as partner from events where id = $1', [id]);
    const whole = {
      ...fields,
      id,
      salesPartnerIdentifier: partner.partner.identifier,
      time: '2026-11-15T01:02:03.456+00:00',
      type,
    };
    expect(event).toEqual({ body: canonicalize(whole), type, partner: partner.partner.id });
  });

  test('is due at its recording time', async () => {
    const partner = await api.addPartner();
    await subscribe(partner);
    for (let n = 0; n < 20; n++) await record(partner);
    const late = await rows(
      `select due_at, events.recorded_at from delivery_queue join events on id = event_id and partner_id = $1
       where due_at > events.recorded_at`,
      [partner.partner.id],
    );
    expect(late).toEqual([]);
  });
});

describe('an event and its change are atomic', () => {
  test('an invalid event fails the change with the reason', async () => {
    const { partner } = await api.addPartner();
    const before = await written();
    const change = api.database.transaction(async (transaction) => {
      await transaction.query('update sales_partners set name = $2 where id = $1', [partner.id, 'Renamed']);
      return recordEvent(transaction, { partner, type, fields: { ...fields, location: 'forty-two' as never } });
    });
    await expect(change).rejects.toThrow(InvalidEventError);
    await expect(change).rejects.toThrow(/LOCATION_CREATED.*location/);
    expect(await written()).toEqual(before);
    expect(await rows('select name from sales_partners where id = $1', [partner.id])).toEqual([{ name: partner.name }]);
  });

  test('a rollback leaves no event, no delivery and no notification', async () => {
    const partner = await api.addPartner();
    await subscribe(partner);
    const before = await written();
    const heard = wakeUps();
    const change = api.database.transaction(async (transaction) => {
      await recordEvent(transaction, { partner: partner.partner, type, fields });
      throw new Error('The change could not be made.');
    });
    await expect(change).rejects.toThrow('The change could not be made.');
    expect(await written()).toEqual(before);
    expect(heard.count).toBe(0);
  });

  test('a later failure in the transaction rolls back the event', async () => {
    const partner = await api.addPartner();
    await subscribe(partner);
    const before = await written();
    const change = api.database.transaction(async (transaction: Transaction) => {
      await recordEvent(transaction, { partner: partner.partner, type, fields });
      await transaction.query('select 1 / 0').catch(() => {});
    });
    await expect(change).rejects.toThrow('The transaction failed and was rolled back.');
    expect(await written()).toEqual(before);
  });
});

describe('workers are notified', () => {
  test('once per transaction, after the commit', async () => {
    const partner = await api.addPartner();
    await subscribe(partner);
    const heard = wakeUps();
    await api.database.transaction(async (transaction) => {
      for (let n = 0; n < 3; n++) await recordEvent(transaction, { partner: partner.partner, type, fields });
      expect(heard.count).toBe(0);
    });
    expect(heard.count).toBe(1);
  });

  test('not for an event without subscribed webhooks', async () => {
    const heard = wakeUps();
    await record(await api.addPartner());
    expect(heard.count).toBe(0);
  });
});
