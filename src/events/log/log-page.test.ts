import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { afterStatement } from '../../../test/support/interleaving.ts';
import { addBusiness, addLocation } from '../../../test/support/locations.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { eventTypes } from '../catalogue/catalogue.ts';
import { recordEvents } from '../outbox/record-event.ts';
import { firstEvents } from './event-store.ts';
import { maxSearched, readEventRange } from './log-page.ts';

let scene: LogScene;
let partner: TestPartner;
let webhook: { id: number };
/** Events by their number: location, business, directory, result. */
let events: number[];

const listed = [
  [11, 1, 'GOOGLE', 'SUCCESS'],
  [11, 1, 'FACEBOOK', 'FAILURE'],
  [12, 1, 'GOOGLE', 'FAILURE'],
  [21, 2, 'GOOGLE', 'SUCCESS'],
  [21, 2, 'FACEBOOK', 'UNDEFINED'],
] as const;

beforeAll(async () => {
  scene = await LogScene.open();
  partner = await scene.api.addPartner();
  webhook = await scene.webhook(partner, 200, { type: 'LISTING_UPDATE' });
  events = await scene.api.database.transaction((transaction) =>
    recordEvents(
      transaction,
      listed.map(([location, business, directoryType, updateResult]) => ({
        partner: partner.partner,
        type: 'LISTING_UPDATE' as const,
        fields: {
          ...eventTypes.LISTING_UPDATE.example,
          location,
          business,
          directoryType,
          updateResult,
          updateStatus: updateResult === 'SUCCESS' ? null : ('DUPLICATED' as const),
        },
      })),
    ),
  );
  await scene.record(partner, 'BUSINESS_CREATED');
});
afterAll(() => scene.close());

const query = (given: object) =>
  new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, typeof one === 'object' ? JSON.stringify(one) : String(one)]),
    ),
  );
const paths = {
  events: () => '/api/events',
  deliveries: () => `/api/sales-partners/webhooks/${webhook.id}/deliveries`,
};
const read = async (list: keyof typeof paths, given: object) => {
  const { code, body } = await partner.call('GET', `${paths[list]()}?${query({ order: 'ASC', ...given })}`);
  expect(code).toBe(200);
  const { count, countIsExact, after, [list]: found } = body.response;
  const ids = found.map((entry: { id: number; eventId?: number }) => entry.eventId ?? entry.id);
  return { count, countIsExact, after, ids };
};

describe.each(['events', 'deliveries'] as const)('the list of %s', (list) => {
  test.each([
    [{ locationIds: 11 }, [0, 1]],
    [{ locationIds: [12, 21] }, [2, 3, 4]],
    [{ businessIds: 2 }, [3, 4]],
    [{ directoryTypes: 'FACEBOOK' }, [1, 4]],
    [{ locationIds: 11, directoryTypes: 'GOOGLE' }, [0]],
    [{ filter: { field: 'updateResult', in: ['FAILURE', 'UNDEFINED'] } }, [1, 2, 4]],
    [{ businessIds: 1, filter: { not: { field: 'updateResult', equals: 'FAILURE' } } }, [0]],
    [{ locationIds: 999 }, []],
    [{ order: 'DESC', locationIds: 21 }, [4, 3]],
  ])('is searched by %j', async (given, expected) => {
    const { ids, count, countIsExact } = await read(list, given);
    expect(ids).toEqual(expected.map((number) => events[number]));
    expect({ count, countIsExact }).toEqual({ count: expected.length, countIsExact: true });
  });

  test('is searched page by page', async () => {
    const given = { businessIds: 1, max: 2 };
    const first = await read(list, given);
    expect(first).toMatchObject({ count: 3, ids: events.slice(0, 2), after: events[1] });
    expect(await read(list, { ...given, after: first.after })).toMatchObject({ count: 3, ids: [events[2]] });
    expect(await read(list, { ...given, offset: 1 })).toMatchObject({ ids: events.slice(1, 3) });
  });

  test.each([
    ['{"field":', 'filter', 'json'],
    [{ field: 'updateResult', equals: 'LATER' }, 'filter.equals', 'value'],
    [{ field: 'nothing', equals: 1 }, 'filter.field', 'known'],
    [{ field: 'updateResult', equals: 'SUCCESS', in: [] }, 'filter', 'operator'],
  ])('rejects the filter %j', async (filter, field, rule) => {
    const { code, body } = await partner.call('GET', `${paths[list]()}?${query({ filter })}`);
    expect({ code, errors: body.errors }).toMatchObject({ code: 400, errors: [{ field, rule }] });
  });
});

test('deliveries are searched by their state too', async () => {
  expect(await read('deliveries', { states: 'DELIVERED', businessIds: 1 })).toMatchObject({ count: 0, ids: [] });
  await scene.deliver(webhook);
  expect(await read('deliveries', { states: 'DELIVERED', businessIds: 1 })).toMatchObject({ ids: events.slice(0, 3) });
  expect(await read('deliveries', { states: ['WAITING', 'RETRYING'], businessIds: 1 })).toMatchObject({ ids: [] });
});

test('a page of a search has a cursor although one of its deliveries ended in the meantime', async () => {
  const other = await scene.api.addPartner();
  const { id } = await scene.webhook(other);
  const [first, second, third] = await scene.recordEvents(other, 3);
  const page = async (after?: number) => {
    const { location } = eventTypes.LOCATION_CREATED.example;
    const given = { order: 'ASC', states: 'WAITING', locationIds: location, max: 2, ...(after && { after }) };
    const path = `/api/sales-partners/webhooks/${id}/deliveries?${query(given)}`;
    return (await other.call('GET', path)).body.response;
  };
  afterStatement(scene.api.database, ['filter_matches'], () =>
    scene.query('delete from delivery_queue where webhook_id = $1 and event_id = $2', [id, second]),
  );
  expect(await page()).toMatchObject({ count: 3, deliveries: [{ eventId: first }], after: second });
  expect(await page(second)).toMatchObject({ count: 2, deliveries: [{ eventId: third }] });
});

test('an event without a business has that of its location', async () => {
  const { id: businessId } = await addBusiness(partner);
  const { id: location } = await addLocation(partner, { businessId });
  const { ids } = await read('events', { businessIds: businessId, type: 'LOCATION_CREATED' });
  expect(ids).toHaveLength(1);
  expect(await read('events', { locationIds: location, type: 'LOCATION_CREATED' })).toMatchObject({ ids });
});

test('searches the newest events of the period and says that older ones were not searched', async () => {
  const other = await scene.api.addPartner();
  const [first] = await scene.recordEvents(other, 1);
  await scene.query(
    `insert into events (id, recorded_at, partner_id, type, body)
     select nextval('event_id'), now(), partner_id, type, replace(body, '"location":', '"location":7')
     from events, generate_series(1, $2) where id = $1`,
    [first, maxSearched],
  );
  const { location } = eventTypes.LOCATION_CREATED.example;
  const search = async (given: object) =>
    (await other.call('GET', `/api/events?${query({ locationIds: location, ...given })}`)).body.response;
  expect(await search({})).toMatchObject({ count: 0, countIsExact: false });
  expect(await search({ order: 'ASC' })).toMatchObject({ count: 1, events: [{ id: first }] });
});

test('a partner can run two searches at a time', async () => {
  const other = await scene.api.addPartner();
  const [first] = await scene.recordEvents(other, 1);
  await scene.query(
    `insert into events (id, recorded_at, partner_id, type, body)
     select nextval('event_id'), now(), partner_id, type, body from events, generate_series(1, 5000) where id = $1`,
    [first],
  );
  const search = async () => (await other.call('GET', '/api/events?locationIds=1')).code;
  const codes = await Promise.all(Array.from({ length: 8 }, search));
  expect(new Set(codes)).toEqual(new Set([200, 429]));
  expect(await search()).toBe(200);
});

describe('the search for events of descendants', () => {
  const limit = 20;
  const types = ['LOCATION_CREATED', 'BUSINESS_CREATED'] as const;
  const newestFirst = (a: number, b: number) => b - a;
  let parent: TestPartner;
  let ids: number[];

  beforeAll(async () => {
    parent = await scene.api.addPartner();
    const children = await Promise.all(Array.from({ length: 5 }, () => scene.api.addPartner(parent)));
    const insert = async ({ partner: { id } }: TestPartner, count: number, type: string = types[0]) => {
      const { rows } = await scene.query(
        `insert into events (id, recorded_at, partner_id, type, body)
         select nextval('event_id'), now(), $1, $2, '{}' from generate_series(1, $3) returning id`,
        [id, type, count],
      );
      return rows.map((row) => Number(row.id));
    };
    ids = [];
    for (const child of children) ids.push(...(await insert(child, 2 * limit)));
    ids.push(...(await insert(parent, 5 * limit)));
    // The newest and the oldest events have different distributions.
    for (const child of [...children, parent, ...children]) ids.push(...(await insert(child, 1, types[1])));
  });

  test.each(['desc', 'asc'] as const)('reads few more events than it searches, order %s', async (order) => {
    const { pool } = scene.api.database;
    const reads: number[] = [];
    const measured = {
      query: async (statement: string | { text: string; values?: unknown[] }, given?: unknown[]) => {
        const { text, values } = typeof statement === 'string' ? { text: statement, values: given } : statement;
        const { rows } = await pool.query(`explain (analyze, format json) ${text}`, values ?? given);
        reads.push(eventsRead(rows[0]['QUERY PLAN'][0].Plan));
        return pool.query(statement as string, given);
      },
    } as typeof pool;
    const events = await readEventRange(pool, { since: new Date(0), until: new Date(Date.now() + 60_000) });
    const filter = { callerId: parent.partner.id, includeChildren: true, types, events };
    const found = await (await firstEvents(measured, filter, limit, order)).execute();
    const expected = order === 'desc' ? ids.toSorted(newestFirst) : ids;
    expect(found.map(({ eventId }) => eventId).toSorted(newestFirst)).toEqual(
      expected.slice(0, limit).toSorted(newestFirst),
    );
    expect(Math.max(...reads)).toBeGreaterThan(0);
    for (const read of reads) expect(read).toBeLessThan(2 * limit);
  });
});

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

/** The number of rows that the scans of events returned. */
function eventsRead(node: PlanNode): number {
  const own = node['Relation Name']?.startsWith('events') ? node['Actual Rows'] * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + eventsRead(child), own);
}
