import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene, type LinkedLocation } from '../../../../test/support/feedback.ts';
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

/** Starts a check and changes rows while it waits for the lock, after it has read the directory. */
async function changeDuring(check: () => Promise<void>, change: string, values: unknown[]): Promise<void> {
  // Only the check waits for the lock below, no job of an earlier test.
  await scene.runJobs();
  const other = await scene.api.database.pool.connect();
  try {
    await other.query('begin');
    await other.query(change, values);
    const checked = check();
    await expect.poll(async () => (await scene.query(waiting)).rowCount).toBeGreaterThan(0);
    await other.query('commit');
    await checked;
  } finally {
    other.release();
  }
}

test('a check during a move assigns datapoints and its event to the new business', async () => {
  const place = await scene.addLinkedLocation(partner);
  const other = await scene.addBusiness(partner);
  await scene.review(place, { text: 'Good' });
  const move = 'update locations set business_id = $2 where id = $1';
  // The check has read the old business and waits for the lock that the move holds.
  await changeDuring(() => scene.check(place), move, [place.locationId, other]);
  expect(await businessesOf(place.locationId)).toEqual([other]);
  const events = await scene.events(partner, 'LISTING_DATAPOINT_CHECK');
  expect(events.filter(({ location }) => location === place.locationId)).toMatchObject([{ business: other }]);
});

test('a requested check is repeated after another check was recorded first', async () => {
  const place = await scene.addLinkedLocation(partner);
  await scene.review(place);
  const check = () => scene.run('datapoints.check-listing', { listingId: place.listingId, requested: true });
  const record = 'update listings set datapoints_checked = clock_timestamp() where id = $1';
  await changeDuring(check, record, [place.listingId]);
  expect(await scene.datapoints(place)).toHaveLength(1);
});

describe('an unlinked listing', () => {
  let place: LinkedLocation;
  beforeEach(async () => {
    partner = await scene.api.addPartner();
    place = await scene.addLinkedLocation(partner);
  });

  const ids = async () => (await scene.datapoints(place)).map(({ id }) => id);
  const statuses = async () => (await scene.datapoints(place)).map(({ status }) => status);
  const subject = () => ({ business: place.businessId, listing: place.listingId, location: place.locationId });
  const unlink = () => partner.call('PATCH', `/api/listings/${place.listingId}`, { listingId: null });

  test('has no valid datapoints until it is linked again', async () => {
    const { id } = await scene.review(place, { rating: 4 });
    for (let n = 0; n < 4; n++) await scene.review(place);
    await scene.control.addReply('GOOGLE', id, { text: 'Thank you', isOwner: true });
    await scene.check(place);
    const all = await ids();
    expect((await unlink()).code).toBe(200);
    await scene.runJobs();
    expect(await scene.events(partner, 'LISTING_DATAPOINT_INVALID')).toMatchObject([
      { ...subject(), invalidDataPointIds: all, deletedDataPointIds: [expect.any(Number)] },
    ]);
    expect(new Set(await statuses())).toEqual(new Set(['INVALID']));
    expect(await scene.figures(place)).toEqual({ dataPoints: 0, ratings: 0, sum: 0 });
    await scene.check(place);
    expect(await scene.events(partner, 'LISTING_DATAPOINT_INVALID')).toHaveLength(1);

    expect((await partner.call('PATCH', `/api/listings/${place.listingId}`, { listingId: place.page })).code).toBe(200);
    await scene.runJobs();
    expect(new Set(await statuses())).toEqual(new Set(['VALID']));
    expect(await scene.figures(place)).toEqual({ dataPoints: 5, ratings: 5, sum: 24 });
    expect((await scene.datapoints(place))[0]).toMatchObject({ replies: 1 });
  });

  test('loses the datapoints of the previous directory listing at once when it is linked to another', async () => {
    for (let n = 0; n < 5; n++) await scene.review(place);
    await scene.check(place);
    const { id: page } = await scene.control.addListing('GOOGLE', { name: 'Another place', country: 'DE' });
    await partner.call('PATCH', `/api/listings/${place.listingId}`, { listingId: page });
    await scene.check(place);
    expect(new Set(await statuses())).toEqual(new Set(['INVALID']));
  });

  test('whose page was removed has no valid datapoints', async () => {
    await scene.review(place);
    await scene.check(place);
    await scene.query(`update listings set connect_status = 'CONNECTED' where id = $1`, [place.listingId]);
    await scene.run('listings.check', { listingId: place.listingId });
    await scene.control.removeListing('GOOGLE', place.page);
    await scene.run('listings.check', { listingId: place.listingId });
    await scene.check(place);
    // Another check must confirm the loss.
    expect(await statuses()).toEqual(['VALID']);
    const replies = `/api/data-points/${(await ids())[0]}/replies`;
    const { body } = await partner.call('POST', replies, { data: 'Thanks' });
    await scene.runJobs();
    const { rows: sent } = await scene.query('select status, message from datapoint_replies where id = $1', [
      body.response.id,
    ]);
    expect(sent).toEqual([
      { status: 'SCHEDULED', message: expect.stringContaining('Google does not show the listing') },
    ]);
    await scene.query('update listings set not_before = now() where id = $1', [place.listingId]);
    await scene.run('listings.check', { listingId: place.listingId });
    await scene.check(place);
    expect(await statuses()).toEqual(['INVALID']);
    // Not read again every 30 minutes.
    const { rows } = await scene.query(
      `select datapoints_due > now() + interval '23 h' as late from listings where id = $1`,
      [place.listingId],
    );
    expect(rows).toEqual([{ late: true }]);
  });

  test('keeps its datapoints until another check has confirmed the loss of the link', async () => {
    for (let n = 0; n < 5; n++) await scene.review(place);
    await scene.check(place);
    await scene.query(`update listings set connect_status = 'CONNECTED' where id = $1`, [place.listingId]);
    const lose = async () => {
      // As a check does that does not find the page.
      await scene.query('update listings set external_id = null where id = $1', [place.listingId]);
      await scene.check(place);
    };
    const age = () =>
      scene.query(`update listings set datapoints_doubted = datapoints_doubted - interval '16 minutes' where id = $1`, [
        place.listingId,
      ]);
    const confirm = (failures: number) =>
      scene.query(
        "update listings set last_checked = datapoints_doubted + interval '1 s', failed_checks = $2 where id = $1",
        [place.listingId, failures],
      );
    const isValid = async () => new Set(await statuses()).has('VALID');
    await lose();
    expect(await isValid()).toBe(true);
    await confirm(0);
    await scene.check(place);
    expect(await isValid()).toBe(true);
    await age();
    await confirm(1);
    await scene.check(place);
    expect(await isValid()).toBe(true);
    await scene.query('update listings set external_id = $2 where id = $1', [place.listingId, place.page]);
    await scene.check(place);
    expect(await scene.events(partner, 'LISTING_DATAPOINT_INVALID')).toEqual([]);

    await lose();
    await age();
    await confirm(0);
    await scene.check(place);
    expect(new Set(await statuses())).toEqual(new Set(['INVALID']));
    expect(await scene.events(partner, 'LISTING_DATAPOINT_INVALID')).toHaveLength(1);
  });

  test('of a deleted location has no valid datapoints', async () => {
    await scene.review(place);
    await scene.check(place);
    const inbox = async () => (await partner.call('GET', '/api/data-points')).body.response.inbox.count;
    expect(await inbox()).toBe(1);
    await scene.query(`update locations set status = 'DELETED' where id = $1`, [place.locationId]);
    const [datapoint] = await ids();
    expect(await partner.call('POST', `/api/data-points/${datapoint}/replies`, { data: 'Thanks' })).toMatchObject({
      code: 400,
      body: { errorCode: 'REPLY_NOT_SUPPORTED' },
    });
    await scene.query('update listings set datapoints_due = now() where id = $1', [place.listingId]);
    await scene.run('datapoints.schedule', {});
    expect(await inbox()).toBe(0);
    expect(await scene.events(partner, 'LISTING_DATAPOINT_INVALID')).toMatchObject([{ ...subject() }]);
  });
});
