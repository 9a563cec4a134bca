import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { addBusiness, addLocation } from '../../../test/support/locations.ts';
import { LogScene } from '../../../test/support/log-scene.ts';
import { recordEvents } from '../outbox/record-event.ts';
import { type Filter, filterPath } from '../subscriptions/filter.ts';

const path = '/api/sales-partners/webhooks';
const failures: Filter = { field: 'updateResult', in: ['FAILURE', 'UNDEFINED'] };
let scene: LogScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await LogScene.open();
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const update = (updateResult: 'SUCCESS' | 'FAILURE', more: object = {}) => ({
  partner: partner.partner,
  type: 'LISTING_UPDATE' as const,
  fields: {
    business: 1,
    listing: 1,
    location: 1,
    directoryType: 'GOOGLE',
    messages: [],
    updateResult,
    updateStatus: updateResult === 'SUCCESS' ? null : ('DUPLICATED' as const),
    ...more,
  },
});
const record = (...events: ReturnType<typeof update>[]) =>
  scene.api.database.transaction((transaction) => recordEvents(transaction, events));
const webhook = (filter: object, settings: object = {}) =>
  scene.webhook(partner, 200, { type: 'LISTING_UPDATE', filter, ...settings });
const queued = async (to: { id: number }) => (await scene.queueOf(to)).map(({ event_id }) => Number(event_id)).sort();
const verdictOf = async (event: number | undefined, { id }: { id: number }) =>
  (await partner.call('GET', `/api/events/${event}`)).body.response.deliveries.find(
    ({ webhookId }: { webhookId: number }) => webhookId === id,
  );

describe('recording', () => {
  test('queues only matching events, one by one and in a batch', async () => {
    const filtered = await webhook(failures);
    const unfiltered = await scene.webhook(partner, 200, { type: 'LISTING_UPDATE' });
    const [success] = await record(update('SUCCESS'));
    const [failure] = await record(update('FAILURE'));
    const batch = await record(update('FAILURE'), update('SUCCESS'), update('FAILURE'));
    expect(await queued(filtered)).toEqual([failure, batch[0], batch[2]]);
    expect(await queued(unfiltered)).toEqual([success, failure, ...batch]);
    expect(await verdictOf(success, filtered)).toMatchObject({
      state: 'SKIPPED',
      reason: 'FILTERED',
      message: 'The event did not match the filter of the webhook: updateResult is FAILURE or UNDEFINED.',
    });
    expect(await verdictOf(failure, filtered)).toMatchObject({ state: 'WAITING' });
  });

  test('explains the event by the filter of that time', async () => {
    const changed = await webhook(failures);
    const [success] = await record(update('SUCCESS'));
    await scene.change(partner, changed, { filter: { field: 'updateResult', equals: 'SUCCESS' } });
    const [later] = await record(update('SUCCESS'));
    await scene.change(partner, changed, { filter: null });
    expect(await verdictOf(success, changed)).toMatchObject({ message: expect.stringContaining('FAILURE') });
    expect(await verdictOf(later, changed)).toMatchObject({ state: 'WAITING' });
    expect(await queued(changed)).toEqual([later]);
    expect((await partner.call('GET', `${path}/${changed.id}`)).body.response).not.toHaveProperty('filter');
  });

  test('sends an event whose text jsonb cannot hold', async () => {
    const filtered = await webhook(failures);
    const [event] = await record(update('SUCCESS', { messages: ['\u0000', '\ud800'] }));
    expect(await queued(filtered)).toEqual([event]);
  });

  test('filters by business and label of the location, and by the directory of the listing', async () => {
    const label = (await partner.call('POST', '/api/labels', { name: 'Airport' })).body.response.id;
    const { id: business } = await addBusiness(partner);
    const { id: location } = await addLocation(partner, { businessId: business, labels: ['Airport'] });
    const type = 'LOCATION_STATUS_CHANGED';
    const byBusiness = await scene.webhook(partner, 200, { type, filter: { field: 'business', equals: business } });
    const byLabel = await scene.webhook(partner, 200, { type, filter: { field: 'labels', in: [label, 99] } });
    const byOther = await scene.webhook(partner, 200, { type, filter: { field: 'labels', equals: label + 1 } });
    const [event] = await scene.api.database.transaction((transaction) =>
      recordEvents(transaction, [
        { partner: partner.partner, type, fields: { comment: '', location, from: 'ACTIVE', to: 'INACTIVE' } },
      ]),
    );
    expect(await queued(byBusiness)).toEqual([event]);
    expect(await queued(byLabel)).toEqual([event]);
    expect(await queued(byOther)).toEqual([]);
  });

  test('a filter that changed the type of its webhook must fit the new type', async () => {
    const { id } = await webhook(failures);
    const change = await partner.call('PATCH', `${path}/${id}`, { type: 'LOCATION_CREATED' });
    expect(change).toMatchObject({
      code: 400,
      body: { errors: [expect.objectContaining({ field: 'filter.field', rule: 'known' })] },
    });
    await scene.change(partner, { id }, { type: 'LOCATION_CREATED', filter: null });
  });
});

test('a replay of skipped events sends only those that match the filter', async () => {
  const filtered = await webhook(failures, { enabled: false });
  const [success, failure] = await record(update('SUCCESS'), update('FAILURE'));
  await scene.change(partner, filtered, { enabled: true });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const preview = await partner.call('POST', `${path}/${filtered.id}/replay`, {
    since,
    states: ['SKIPPED'],
    dryRun: true,
  });
  expect(preview).toMatchObject({ code: 200 });
  const failed = (
    await scene.query(
      `select count(*)::int as count from events where partner_id = $1 and type = 'LISTING_UPDATE'
      and body::jsonb ->> 'updateResult' <> 'SUCCESS' and position('\\u0000' in body) = 0`,
      [partner.partner.id],
    )
  ).rows[0].count;
  expect(preview.body.response.count).toBeGreaterThanOrEqual(failed);
  expect(success).toBeLessThan(failure ?? 0);
});

describe('check-filter', () => {
  test('counts the matching events of the last 1,000 and stores nothing', async () => {
    const owner = await scene.api.addPartner();
    const child = await scene.api.addPartner(owner);
    const check = (more: object = {}) =>
      owner.call('POST', `${path}/check-filter`, { type: 'LISTING_UPDATE', filter: failures, ...more });
    expect((await check()).body.response).toEqual({
      filterText: 'updateResult is FAILURE or UNDEFINED',
      checked: 0,
      matching: 0,
    });
    const of = (who: TestPartner) =>
      [update('FAILURE'), update('SUCCESS')].map((event) => ({ ...event, partner: who.partner }));
    await record(...of(owner), ...of(child), ...of(child));
    expect((await check()).body.response).toMatchObject({ checked: 6, matching: 3 });
    expect((await check({ includeChildren: false })).body.response).toMatchObject({ checked: 2, matching: 1 });
    expect((await check({ salesPartnerId: child.partner.id })).body.response).toMatchObject({ checked: 4 });
    expect((await check({ salesPartnerId: partner.partner.id })).code).toBe(400);
    expect((await check({ type: 'LOCATION_CREATED' })).code).toBe(400);
    expect((await check({ filter: undefined })).code).toBe(400);
    await record(...Array.from({ length: 1001 }, () => ({ ...update('FAILURE'), partner: owner.partner })));
    expect((await check()).body.response).toMatchObject({ checked: 1000, matching: 1000 });
  });
});

// The database evaluates filters; this is the meaning that the documentation gives them.
function matches(filter: Filter, event: Record<string, unknown>): boolean {
  if ('all' in filter) return filter.all.every((part) => matches(part, event));
  if ('any' in filter) return filter.any.some((part) => matches(part, event));
  if ('not' in filter) return !matches(filter.not, event);
  const value = event[filter.field];
  const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
  if ('exists' in filter) return values.some((one) => one !== null) === filter.exists;
  if ('greater' in filter) return values.some((one) => one !== null && one > filter.greater);
  if ('less' in filter) return values.some((one) => one !== null && one < filter.less);
  const wanted = 'in' in filter ? filter.in : [filter.equals];
  return values.some((one) => wanted.some((other) => one === other));
}

test('the database evaluates a filter as described', async () => {
  const number = fc.integer({ min: -2, max: 2 });
  const text = fc.constantFrom('', 'a', 'ß"\\', '\u2028', '$.x', 'line\nbreak');
  const condition = fc.oneof(
    fc.record({ field: fc.constant('n'), equals: fc.option(number) }),
    fc.record({ field: fc.constant('n'), greater: number }),
    fc.record({ field: fc.constant('n'), less: number }),
    fc.record({ field: fc.constant('s'), in: fc.array(text, { minLength: 1, maxLength: 3 }) }),
    fc.record({ field: fc.constant('list'), equals: number }),
    fc.record({ field: fc.constantFrom('n', 's', 'list', 'b'), exists: fc.boolean() }),
    fc.record({ field: fc.constant('b'), equals: fc.boolean() }),
  );
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      condition,
      fc.record({ not: tie('filter') }),
      fc.record({ all: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
    ),
  }));
  const event = fc.record(
    { n: fc.option(number), s: text, list: fc.array(number, { maxLength: 3 }), b: fc.boolean() },
    { requiredKeys: [] },
  );
  const cases = fc.sample(fc.tuple(filter, event), { numRuns: 500, seed: 20261116 });
  const { rows } = await scene.query(
    'select filter_matches(path::jsonpath, body) as matches from unnest($1::text[], $2::text[]) with ordinality as c (path, body, n) order by n',
    [cases.map(([one]) => filterPath(one)), cases.map(([, one]) => JSON.stringify(one))],
  );
  const wrong = cases.filter(([one, fields], index) => rows[index].matches !== matches(one, fields));
  expect(wrong).toEqual([]);
});
