import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../test/support/api.ts';
import { systemActor } from '../accounts/actor.ts';
import { ensureBusinesses } from './demo-business.ts';
import { demoLocation } from './demo-location.ts';
import { applyLocationOutcomes, ensureLocations, findCreated, startFirstSyncs } from './ensure-locations.ts';

const log = pino({ level: 'silent' });
let api: TestApi;
let partner: TestPartner;

beforeAll(async () => {
  api = await TestApi.start();
  partner = await api.addPartner();
});
afterAll(() => api.close());

test('applies each outcome once: not synced, in review, cancelled or closed', async () => {
  const actor = systemActor(partner.partner);
  const today = new Date().toISOString().slice(0, 10);
  // Every third index belongs to the same business.
  const plans = [6, 7, 13, 17, 19].map((number) => demoLocation((number - 1) * 3, { seed: '1', today }));
  await api.database.transaction(async (transaction) => {
    const businesses = await ensureBusinesses(transaction, actor, today);
    const { created } = await ensureLocations({ transaction, log, actor }, businesses, plans);
    expect(await startFirstSyncs({ transaction, log, actor }, created, '1')).toEqual([]);
  });
  const letHappen = () =>
    api.database.transaction(async (transaction) => {
      const context = { transaction, log, actor };
      return applyLocationOutcomes(context, await findCreated(context, plans), today);
    });
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
  // Four first syncs and three outcomes.
  expect(events).toHaveLength(7);
});
