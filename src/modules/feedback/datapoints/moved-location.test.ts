import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene } from '../../../../test/support/feedback.ts';
import { bakery } from '../../../../test/support/locations.ts';

let scene: FeedbackScene;
let partner: TestPartner;
beforeAll(async () => {
  scene = await FeedbackScene.open();
  partner = await scene.api.addPartner();
});
afterAll(() => scene.close());

const businessesOf = async (locationId: number) => {
  const { rows } = await scene.query('select business_id as id from datapoints where location_id = $1 order by id', [
    locationId,
  ]);
  return rows.map(({ id }) => id);
};

const inboxOf = async (businessId: number) => {
  const { body } = await partner.call('GET', `/api/data-points?businessIds=${businessId}`);
  return body.response.inbox.count;
};

const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

test('datapoints move with their location to another business', async () => {
  const place = await scene.addLinkedLocation(partner);
  const other = await scene.addBusiness(partner);
  await scene.review(place, { text: 'Good' });
  await scene.check(place);
  expect(await businessesOf(place.locationId)).toEqual([place.businessId]);

  const { code } = await partner.call('PATCH', `/api/locations/${place.locationId}`, {
    businessId: other,
    categories: [bakery],
  });
  expect(code).toBe(200);
  expect(await businessesOf(place.locationId)).toEqual([other]);
  expect([await inboxOf(place.businessId), await inboxOf(other)]).toEqual([0, 1]);
});

test('a check during a move assigns datapoints and its event to the new business', async () => {
  const place = await scene.addLinkedLocation(partner);
  const other = await scene.addBusiness(partner);
  await scene.review(place, { text: 'Good' });
  // Only the check waits for the lock below, no job of an earlier test.
  await scene.runJobs();
  const mover = await scene.api.database.pool.connect();
  try {
    await mover.query('begin');
    await mover.query('update locations set business_id = $2 where id = $1', [place.locationId, other]);
    const checked = scene.check(place);
    // The check has read the old business and waits for the lock that the move holds.
    await expect.poll(async () => (await scene.query(waiting)).rowCount, { timeout: 10_000 }).toBeGreaterThan(0);
    await mover.query('commit');
    await checked;
  } finally {
    mover.release();
  }
  expect(await businessesOf(place.locationId)).toEqual([other]);
  const events = await scene.events(partner, 'LISTING_DATAPOINT_CHECK');
  expect(events.filter(({ location }) => location === place.locationId)).toMatchObject([{ business: other }]);
});
