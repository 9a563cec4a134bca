import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene, type LinkedLocation } from '../../../../test/support/feedback.ts';

let scene: FeedbackScene;
let partner: TestPartner;
let place: LinkedLocation;

beforeAll(async () => {
  scene = await FeedbackScene.open();
});
afterAll(() => scene.close());

beforeEach(async () => {
  partner = await scene.api.addPartner();
  place = await scene.addLinkedLocation(partner);
});

const noCounts = {
  newPhotosFound: 0,
  newReviewsFound: 0,
  newCheckinsFound: 0,
  newConversationsFound: 0,
  newCommentsFound: 0,
  newQuestionsFound: 0,
};
const subject = () => ({
  business: place.businessId,
  listing: place.listingId,
  location: place.locationId,
  directoryType: 'GOOGLE',
  salesPartnerIdentifier: partner.partner.identifier,
});
const ids = async () => (await scene.datapoints(place)).map(({ id }) => id);
const statuses = async () => (await scene.datapoints(place)).map(({ status }) => status);
const doubtSince = (age: string) =>
  scene.query(`update listings set datapoints_doubted = now() - $2::interval where id = $1`, [place.listingId, age]);

describe('additions and changes', () => {
  test('records one event for new datapoints, with counts by type', async () => {
    await scene.review(place, { rating: 4 });
    await scene.review(place, { rating: 2, text: 'Hm' });
    const where = { listing: place.page };
    await scene.control.postDataPoint('GOOGLE', where, { type: 'PHOTO', photoUrl: 'https://example.com/1.jpg' });
    await scene.control.postDataPoint('GOOGLE', where, { type: 'QUESTION', text: 'Is there parking?' });
    await scene.check(place);
    const events = await scene.events(partner);
    expect(events).toMatchObject([
      {
        type: 'LISTING_DATAPOINT_CHECK',
        ...subject(),
        ...noCounts,
        newReviewsFound: 2,
        newPhotosFound: 1,
        newQuestionsFound: 1,
        newDatapointsFound: true,
        newDataPointIds: await ids(),
      },
    ]);
    expect(events[0]).not.toHaveProperty('updatedDataPointIds');
    expect(await scene.figures(place)).toEqual({ dataPoints: 4, ratings: 2, sum: 6 });
  });

  test('records no event for a check without changes', async () => {
    await scene.check(place);
    expect(await scene.events(partner)).toEqual([]);
    await scene.review(place);
    await scene.check(place);
    await scene.check(place);
    await scene.query('update listings set datapoint_cursor = null where id = $1', [place.listingId]);
    await scene.check(place);
    expect(await scene.events(partner)).toHaveLength(1);
    expect(await scene.datapoints(place)).toHaveLength(1);
    expect(await scene.figures(place)).toEqual({ dataPoints: 1, ratings: 1, sum: 5 });
  });

  test('updates an edited review, counts it once and marks it unread', async () => {
    const { id } = await scene.review(place, { rating: 5 });
    await scene.check(place);
    const [datapointId] = await ids();
    await partner.call('PATCH', `/api/data-points/${datapointId}`, { read: true });
    await scene.control.editDataPoint('GOOGLE', id, { rating: 1, text: 'I have changed my mind' });
    await scene.check(place);
    expect((await scene.events(partner)).at(-1)).toMatchObject({
      type: 'LISTING_DATAPOINT_CHECK',
      ...subject(),
      ...noCounts,
      newDatapointsFound: false,
      newDataPointIds: [],
      updatedDataPointIds: [datapointId],
    });
    expect(await scene.datapoints(place)).toMatchObject([
      { id: datapointId, rating: 1, text: 'I have changed my mind', read: false },
    ]);
    expect(await scene.figures(place)).toEqual({ dataPoints: 1, ratings: 1, sum: 1 });
  });

  test('reports a reply by another author as an update of the datapoint', async () => {
    const { id } = await scene.review(place);
    await scene.check(place);
    await scene.control.addReply('GOOGLE', id, { text: 'So do I', author: 'Ada', isOwner: false });
    await scene.check(place);
    const [datapointId] = await ids();
    expect(await scene.events(partner)).toMatchObject([{}, { updatedDataPointIds: [datapointId] }]);
    await scene.control.addReply('GOOGLE', id, { text: 'Thank you', isOwner: true });
    await scene.check(place);
    expect(await scene.datapoints(place)).toMatchObject([{ replied: true, replies: 2 }]);
    const { body } = await partner.call('GET', `/api/data-points/${datapointId}`);
    expect(body.response.replies).toMatchObject([
      { author: 'Ada', data: 'So do I', ownerReply: false, status: 'PUBLISHED' },
      { data: 'Thank you', ownerReply: true, status: 'PUBLISHED' },
    ]);
  });

  test('records one event for several pages of datapoints', async () => {
    for (let n = 0; n < 60; n++) await scene.review(place, { text: `Visit ${n}` });
    await scene.check(place);
    const events = await scene.events(partner);
    expect(events).toMatchObject([{ newReviewsFound: 60 }]);
    expect(events[0].newDataPointIds).toEqual(await ids());
  });

  test('starts from the beginning when a listing is linked to another page', async () => {
    await scene.review(place);
    await scene.check(place);
    const other = await scene.addLinkedLocation(partner);
    await scene.review(other, { text: 'Elsewhere' });
    await scene.query('update listings set external_id = null where id = $1', [other.listingId]);
    await scene.query('update listings set external_id = $2 where id = $1', [place.listingId, other.page]);
    await scene.check(place);
    expect(await scene.datapoints(place)).toMatchObject([
      { status: 'INVALID' },
      { text: 'Elsewhere', status: 'VALID' },
    ]);
  });
});

describe('removals', () => {
  test('marks a removed review INVALID with its replies and records a separate event', async () => {
    const { id } = await scene.review(place, { rating: 3 });
    await scene.review(place, { rating: 5 });
    await scene.control.addReply('GOOGLE', id, { text: 'Sorry', isOwner: true });
    await scene.check(place);
    const [gone] = await ids();
    const { rows } = await scene.query('select id from datapoint_replies where datapoint_id = $1', [gone]);
    await scene.control.removeDataPoint('GOOGLE', id);
    await scene.check(place);
    expect((await scene.events(partner)).slice(1)).toMatchObject([
      {
        type: 'LISTING_DATAPOINT_INVALID',
        ...subject(),
        invalidDataPointIds: [gone],
        deletedDataPointIds: [rows[0].id],
      },
    ]);
    expect(await statuses()).toEqual(['INVALID', 'VALID']);
    expect(await scene.figures(place)).toEqual({ dataPoints: 1, ratings: 1, sum: 5 });
    await scene.check(place);
    expect(await scene.events(partner)).toHaveLength(2);
  });

  test('accepts the removal of the only review', async () => {
    const { id } = await scene.review(place);
    await scene.check(place);
    await scene.control.removeDataPoint('GOOGLE', id);
    await scene.check(place);
    expect(await statuses()).toEqual(['INVALID']);
  });

  test('marks a reinstated review VALID and reports it as updated, with its replies', async () => {
    const { id } = await scene.review(place, { rating: 4 });
    await scene.control.addReply('GOOGLE', id, { text: 'Thank you', isOwner: true });
    await scene.check(place);
    await scene.control.removeDataPoint('GOOGLE', id);
    await scene.check(place);
    await scene.control.restoreDataPoint('GOOGLE', id);
    await scene.check(place);
    const [datapointId] = await ids();
    expect((await scene.events(partner)).at(-1)).toMatchObject({
      type: 'LISTING_DATAPOINT_CHECK',
      newDatapointsFound: false,
      newDataPointIds: [],
      updatedDataPointIds: [datapointId],
    });
    expect(await scene.datapoints(place)).toMatchObject([{ status: 'VALID', replied: true, replies: 1 }]);
    expect(await scene.figures(place)).toEqual({ dataPoints: 1, ratings: 1, sum: 4 });
  });

  test('reports a removed reply by id and restores it when the directory does', async () => {
    const { id } = await scene.review(place);
    const reply = await scene.control.addReply('GOOGLE', id, { text: 'Thank you', isOwner: true });
    await scene.check(place);
    const [datapointId] = await ids();
    const { rows } = await scene.query('select id from datapoint_replies where datapoint_id = $1', [datapointId]);
    await scene.control.removeReply('GOOGLE', reply.id);
    await scene.check(place);
    expect(await scene.events(partner, 'LISTING_DATAPOINT_INVALID')).toMatchObject([
      { invalidDataPointIds: [], deletedDataPointIds: [rows[0].id] },
    ]);
    expect(await scene.datapoints(place)).toMatchObject([{ status: 'VALID', replied: false, replies: 0 }]);
    await scene.control.restoreReply('GOOGLE', reply.id);
    await scene.check(place);
    expect((await scene.events(partner)).at(-1)).toMatchObject({ updatedDataPointIds: [datapointId] });
    expect(await scene.datapoints(place)).toMatchObject([{ replied: true, replies: 1 }]);
  });

  test('delays a large removal until it has persisted', async () => {
    const reviews = [];
    for (let n = 0; n < 6; n++) reviews.push(await scene.review(place, { text: `Visit ${n}` }));
    await scene.check(place);
    for (const { id } of reviews.slice(1)) await scene.control.removeDataPoint('GOOGLE', id);
    await scene.check(place);
    expect(new Set(await statuses())).toEqual(new Set(['VALID']));
    await doubtSince('14 minutes');
    await scene.check(place);
    expect(new Set(await statuses())).toEqual(new Set(['VALID']));
    await doubtSince('16 minutes');
    await scene.check(place);
    expect(await statuses()).toEqual(['VALID', 'INVALID', 'INVALID', 'INVALID', 'INVALID', 'INVALID']);
    expect(await scene.events(partner, 'LISTING_DATAPOINT_INVALID')).toHaveLength(1);
  });

  test('an incomplete read does not extend the delay of a large removal', async () => {
    const reviews = [];
    for (let n = 0; n < 6; n++) reviews.push(await scene.review(place, { text: `Visit ${n}` }));
    await scene.check(place);
    for (const { id } of reviews.slice(1)) await scene.control.removeDataPoint('GOOGLE', id);
    await scene.check(place);
    await doubtSince('16 minutes');
    await scene.control.simulateFailure('GOOGLE', 'repeat');
    await scene.check(place);
    await scene.control.endFailure('GOOGLE');
    expect(new Set(await statuses())).toEqual(new Set(['VALID']));
    await scene.check(place);
    expect(await statuses()).toEqual(['VALID', 'INVALID', 'INVALID', 'INVALID', 'INVALID', 'INVALID']);
  });

  test('ignores a large removal that was reverted in the meantime', async () => {
    const reviews = [];
    for (let n = 0; n < 6; n++) reviews.push(await scene.review(place, { text: `Visit ${n}` }));
    await scene.check(place);
    for (const { id } of reviews) await scene.control.removeDataPoint('GOOGLE', id);
    await scene.check(place);
    for (const { id } of reviews) await scene.control.restoreDataPoint('GOOGLE', id);
    await doubtSince('16 minutes');
    await scene.check(place);
    expect(new Set(await statuses())).toEqual(new Set(['VALID']));
    expect(await scene.events(partner)).toHaveLength(1);
    const { rows } = await scene.query('select datapoints_doubted from listings where id = $1', [place.listingId]);
    expect(rows).toEqual([{ datapoints_doubted: null }]);
  });
});

describe('a faulty directory', () => {
  const troubles = ['error', 'reset', 'garbage', 'html', 'empty', 'truncated', 'wrong-shape', 'repeat'] as const;

  test.each(troubles)('causes no duplicate, no false INVALID and no loss: %s', async (trouble) => {
    const own = await scene.addLinkedLocation(partner, 'YELP');
    for (let n = 0; n < 3; n++) await scene.review(own, { text: `Before ${n}` });
    await scene.check(own);
    await scene.review(own, { text: 'Meanwhile' });
    await scene.control.simulateFailure('YELP', trouble);
    await scene.check(own);
    await scene.check(own);
    const known = await scene.datapoints(own);
    expect(known.map(({ text }) => text).slice(0, 3)).toEqual(['Before 0', 'Before 1', 'Before 2']);
    expect(known.every(({ status }) => status === 'VALID')).toBe(true);
    await scene.control.endFailure('YELP');
    await scene.checkUntil(own, async () => (await scene.datapoints(own)).length === 4);
    expect(await scene.datapoints(own)).toMatchObject([
      { text: 'Before 0', status: 'VALID' },
      { text: 'Before 1', status: 'VALID' },
      { text: 'Before 2', status: 'VALID' },
      { text: 'Meanwhile', status: 'VALID' },
    ]);
    const events = await scene.events(partner);
    expect(events).toMatchObject([{ newReviewsFound: 3 }, { newReviewsFound: 1 }]);
    expect(await scene.figures(own)).toEqual({ dataPoints: 4, ratings: 4, sum: 20 });
  });

  test('an invalid datapoint does not stop the others', async () => {
    const invalid = { text: 'Invalid', date: '+010000-01-01T00:00:00.000Z' };
    const old = await scene.review(place, { text: 'Old' });
    await scene.check(place);
    await scene.control.removeDataPoint('GOOGLE', old.id);
    await scene.review(place, invalid);
    // Without a valid datapoint, the page is read again by the next check.
    await scene.check(place);
    expect(await statuses()).toEqual(['INVALID']);
    const meanwhile = await scene.review(place, { text: 'Before' });
    await scene.review(place, invalid);
    await scene.review(place, { text: 'After' });
    await scene.check(place);
    const texts = async () => (await scene.datapoints(place)).map(({ text, status }) => `${text} ${status}`);
    expect(await texts()).toEqual(['Old INVALID', 'Before VALID', 'After VALID']);
    await scene.control.editDataPoint('GOOGLE', meanwhile.id, { text: 'Edited' });
    await scene.check(place);
    expect(await texts()).toEqual(['Old INVALID', 'Edited VALID', 'After VALID']);
  });

  test('an invalid datapoint keeps its replies when the listing is linked again', async () => {
    const { id: externalId } = await scene.review(place, { date: '+010000-01-01T00:00:00.000Z' });
    await scene.check(place);
    const datapointId = await scene.addDatapoint(place, { day: 1, externalId }, partner);
    await scene.query(
      `insert into datapoint_replies (datapoint_id, external_id, author, text, owner_reply, status)
       values ($1, 'reply', 'Owner', 'Thank you', true, 'PUBLISHED')`,
      [datapointId],
    );
    await scene.query('update listings set datapoint_cursor_of = null where id = $1', [place.listingId]);
    await scene.check(place);
    const { rows } = await scene.query('select status from datapoint_replies where datapoint_id = $1', [datapointId]);
    expect(rows).toEqual([{ status: 'PUBLISHED' }]);
  });

  test('is checked again after a delay', async () => {
    await scene.check(place);
    await scene.control.simulateOutage('GOOGLE');
    await scene.check(place);
    const { rows } = await scene.query(
      `select datapoints_due > now() + interval '5 minutes' as later, datapoints_due < now() + interval '15 minutes' as soon
       from listings where id = $1`,
      [place.listingId],
    );
    expect(rows).toEqual([{ later: true, soon: true }]);
    await scene.control.endFailure('GOOGLE');
    await scene.review(place);
    await scene.checkUntil(place, async () => (await scene.datapoints(place)).length === 1);
  });
});

describe('concurrent checks', () => {
  test('write every datapoint once', async () => {
    for (let n = 0; n < 20; n++) await scene.review(place, { text: `Visit ${n}` });
    for (let n = 0; n < 4; n++) {
      await scene.query(`select graphile_worker.add_job('datapoints.check-listing', $1::json)`, [
        JSON.stringify({ listingId: place.listingId }),
      ]);
    }
    await Promise.all([scene.runJobs(), scene.runJobs(), scene.runJobs()]);
    expect(await scene.datapoints(place)).toHaveLength(20);
    expect(await scene.events(partner)).toMatchObject([{ newReviewsFound: 20 }]);
    expect(await scene.figures(place)).toMatchObject({ dataPoints: 20 });
  });

  test('the schedule enqueues due checks once', async () => {
    await scene.check(place);
    await scene.review(place);
    await scene.query(`update listings set datapoints_due = now() - interval '1 s' where id = $1`, [place.listingId]);
    await Promise.all([scene.run('datapoints.schedule', {}), scene.run('datapoints.schedule', {})]);
    expect(await scene.events(partner)).toMatchObject([{ newReviewsFound: 1 }]);
    const { rows } = await scene.query('select datapoints_due > now() as later from listings where id = $1', [
      place.listingId,
    ]);
    expect(rows).toEqual([{ later: true }]);
  });
});

test('a check whose job cannot be enqueued stays due', async () => {
  await scene.query(`update listings set datapoints_due = now() - interval '1 s' where id = $1`, [place.listingId]);
  await scene.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
     create trigger refuse before insert on graphile_worker._private_jobs for each row
       when (new.key like 'datapoints-listing-%') execute function refuse()`,
  );
  await scene.run('datapoints.schedule', {});
  await scene.query('drop trigger refuse on graphile_worker._private_jobs; drop function refuse()');
  const { rows } = await scene.query('select datapoints_due < now() as due from listings where id = $1', [
    place.listingId,
  ]);
  expect(rows).toEqual([{ due: true }]);
});

test('a rolled back check leaves no event and no datapoint', async () => {
  await scene.review(place);
  await scene.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
     create trigger refuse before insert on events for each row execute function refuse()`,
  );
  await scene.check(place).catch(() => {});
  await scene.query('drop trigger refuse on events; drop function refuse()');
  expect(await scene.datapoints(place)).toEqual([]);
  await scene.query('update graphile_worker._private_jobs set run_at = now()');
  await scene.runJobs();
  expect(await scene.datapoints(place)).toHaveLength(1);
  expect(await scene.events(partner)).toHaveLength(1);
});
