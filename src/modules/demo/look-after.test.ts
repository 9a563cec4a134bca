import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { systemActor } from '../accounts/actor.ts';
import { demoLocation } from './demo-location.ts';
import { letFatesHappen, lookAfter } from './look-after.ts';
import { makeBusinesses } from './make-businesses.ts';
import { findMade, makeLocations } from './make-locations.ts';

const log = pino({ level: 'silent' });
let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

test('a location is left alone, reviewed, cancelled or closed, as its number says, and once', async () => {
  const actor = systemActor(partner.partner);
  const today = new Date().toISOString().slice(0, 10);
  // The numbers of a business are three apart.
  const plans = [6, 7, 13, 17, 19].map((number) => demoLocation((number - 1) * 3, { seed: '1', today }));
  await api.database.transaction(async (transaction) => {
    const businesses = await makeBusinesses(transaction, actor, today);
    const { made } = await makeLocations({ transaction, log }, actor, businesses, plans);
    expect(await lookAfter({ transaction, log }, actor, made, '1')).toEqual([]);
  });
  const letHappen = () =>
    api.database.transaction(async (transaction) =>
      letFatesHappen({ transaction, log }, actor, await findMade(transaction, actor, plans), today),
    );
  await letHappen();
  await letHappen();
  const { locations } = (await partner.call('GET', '/api/locations')).body.response;
  const statuses = locations.map(({ identifier, status }: { identifier: string; status: string }) => [
    identifier,
    status,
  ]);
  expect(Object.fromEntries(statuses)).toEqual({
    'demo-bakery-00006': 'ACTIVE',
    'demo-bakery-00007': 'CREATED',
    'demo-bakery-00013': 'NEEDS_REVIEW',
    'demo-bakery-00017': 'CANCELLED',
    'demo-bakery-00019': 'CLOSED',
  });
  const cancelled = locations.find(({ status }: { status: string }) => status === 'CANCELLED');
  expect(cancelled.endDate > today).toBe(true);
  const { events } = (await partner.call('GET', '/api/events?type=LOCATION_STATUS_CHANGED&max=50')).body.response;
  // Four first syncs and three fates.
  expect(events).toHaveLength(7);
});
