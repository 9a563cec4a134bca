import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene, type LinkedLocation } from '../../../../test/support/feedback.ts';
import { addUser } from '../../../../test/support/users.ts';

let scene: FeedbackScene;
let partner: TestPartner;
let place: LinkedLocation;
/** Our id of the review, and its external id. */
let review: number;
let external: string;

beforeAll(async () => {
  scene = await FeedbackScene.open();
});
afterAll(() => scene.close());

beforeEach(async () => {
  partner = await scene.api.addPartner();
  await arrange('YELP');
});

async function arrange(directory: string): Promise<void> {
  place = await scene.addLinkedLocation(partner, directory);
  external = (await scene.review(place, { rating: 2 })).id;
  await scene.check(place);
  review = (await scene.datapoints(place))[0].id;
}

/** Whether a check of the datapoints is queued for later. */
const isCheckWaiting = async () => {
  const key = `datapoints-listing-${place.listingId}%`;
  const query = 'select from graphile_worker.jobs where key like $1 and run_at > now()';
  return (await scene.query(query, [key])).rowCount === 1;
};

const path = () => `/api/data-points/${review}/replies`;
const reply = (data: unknown, by: { call: TestPartner['call'] } = partner) => by.call('POST', path(), { data });
const thread = async () => (await partner.call('GET', `/api/data-points/${review}`)).body.response.replies;
const onDirectory = async () => {
  const { dataPoints } = await scene.control.dataPoints(place.directory, { listing: place.page });
  return dataPoints.find(({ id }) => id === external)?.replies ?? [];
};

describe('a reply', () => {
  test('is sent by a job and becomes PUBLISHED', async () => {
    const { code, body } = await reply('Thank you, we are sorry');
    expect(code).toBe(200);
    expect(body.response).toMatchObject({
      data: 'Thank you, we are sorry',
      ownerReply: true,
      status: 'SCHEDULED',
      createdBy: 'PRIVATE_TOKEN',
    });
    expect(await onDirectory()).toEqual([]);
    await scene.runJobs();
    expect(await thread()).toMatchObject([{ id: body.response.id, status: 'PUBLISHED' }]);
    expect(await onDirectory()).toMatchObject([{ text: 'Thank you, we are sorry', isOwner: true }]);
    expect(await scene.datapoints(place)).toMatchObject([{ replied: true, replies: 1 }]);
  });

  test('shares the job workers with those of other partners', async () => {
    const { body } = await reply('Thank you');
    const { rows } = await scene.query('select flags from graphile_worker.jobs where key = $1', [
      `send-reply-${body.response.id}`,
    ]);
    expect(rows).toEqual([{ flags: { [`partner-${partner.partner.id}`]: true } }]);
  });

  test('of our own is not reported as new or changed by a check', async () => {
    await reply('Thank you');
    await scene.runJobs();
    const before = await scene.events(partner);
    await scene.check(place);
    expect(await scene.events(partner)).toEqual(before);
    expect(await thread()).toHaveLength(1);
  });

  describe('that was accepted but whose response was lost', () => {
    beforeEach(async () => {
      await scene.control.simulateFailure('YELP', 'truncated');
      await reply('Thank you');
      await scene.runJobs();
      await scene.control.endFailure('YELP');
      expect(await thread()).toMatchObject([{ status: 'SCHEDULED' }]);
      expect(await onDirectory()).toHaveLength(1);
    });

    test('is sent again and published once', async () => {
      await expect
        .poll(async () => {
          await scene.runJobs({ early: true });
          return (await thread())[0].status;
        })
        .toBe('PUBLISHED');
      expect(await onDirectory()).toHaveLength(1);
      expect(await thread()).toHaveLength(1);
    });

    test('cannot be changed', async () => {
      const [{ id }] = await thread();
      expect((await partner.call('PATCH', `${path()}/${id}`, { data: 'Other' })).code).toBe(423);
    });

    test('can be changed after the last attempt only when a check did not find it', async () => {
      const [{ id }] = await thread();
      const change = () => partner.call('PATCH', `${path()}/${id}`, { data: 'Other' });
      await scene.query(`update datapoint_replies set tries = 7 where id = $1`, [id]);
      await scene.control.simulateOutage('YELP');
      await scene.runJobs({ early: true });
      expect(await thread()).toMatchObject([{ status: 'FAILED' }]);
      expect([(await change()).code, (await reply('Second')).body.errorCode]).toEqual([423, 'TOO_MANY_REPLIES']);
      // Another check does not replace the one that confirms the reply.
      await scene.query('update listings set datapoints_due = now() where id = $1', [place.listingId]);
      await scene.run('datapoints.schedule', {});
      expect(await isCheckWaiting()).toBe(true);
      await scene.query(`update listings set datapoints_checked = now() + interval '121 s' where id = $1`, [
        place.listingId,
      ]);
      expect((await change()).code).toBe(200);
      await scene.control.endFailure('YELP');
    });

    test('counts towards the limit after its withdrawal until a check shows whether it was published', async () => {
      const [{ id }] = await thread();
      expect((await partner.call('DELETE', `${path()}/${id}`)).code).toBe(200);
      const second = await reply('Second');
      expect(second).toMatchObject({ code: 409, body: { errorCode: 'TOO_MANY_REPLIES' } });
      expect(second.body.message).toContain(`Reply ${id} was withdrawn`);
      expect(await isCheckWaiting()).toBe(true);
      await scene.checkUntil(place, async () => (await thread()).length === 1);
      expect(await thread()).toMatchObject([{ data: 'Thank you', ownerReply: true, status: 'PUBLISHED' }]);
      const checkedLater = `update listings set datapoints_checked = now() + interval '121 s' where id = $1`;
      await scene.query(checkedLater, [place.listingId]);
      expect((await reply('Second')).body.errorCode).toBe('TOO_MANY_REPLIES');
      await scene.query(`update datapoint_replies set status = 'DELETED' where datapoint_id = $1`, [review]);
      expect((await reply('Second')).code).toBe(200);
    });

    test('can be changed two minutes after the last attempt if the location is inactive', async () => {
      const [{ id }] = await thread();
      const change = () => partner.call('PATCH', `${path()}/${id}`, { data: 'Other' });
      await scene.query(`update locations set status = 'INACTIVE' where id = $1`, [place.locationId]);
      await scene.query(`update listings set datapoints_checked = now() - interval '1 h' where id = $1`, [
        place.listingId,
      ]);
      await scene.query(`update datapoint_replies set status = 'FAILED', tries = 8 where id = $1`, [id]);
      expect((await change()).code).toBe(423);
      await scene.query(`update datapoint_replies set last_updated = now() - interval '121 s' where id = $1`, [id]);
      expect((await change()).code).toBe(200);
    });

    test('is adopted by the next check', async () => {
      const before = await scene.events(partner);
      await scene.checkUntil(place, async () => (await thread())[0].status === 'PUBLISHED');
      expect(await thread()).toMatchObject([{ createdBy: 'PRIVATE_TOKEN' }]);
      await scene.runJobs({ early: true });
      expect(await onDirectory()).toHaveLength(1);
      expect(await thread()).toHaveLength(1);
      expect(await scene.events(partner)).toEqual(before);
    });
  });

  test('is sent once by several processes', async () => {
    const { body } = await reply('Thank you');
    for (let n = 0; n < 3; n++) {
      await scene.query(`select graphile_worker.add_job('datapoints.send-reply', $1::json)`, [
        JSON.stringify({ replyId: body.response.id }),
      ]);
    }
    await Promise.all([scene.runJobs(), scene.runJobs(), scene.runJobs()]);
    expect(await onDirectory()).toHaveLength(1);
    expect(await thread()).toMatchObject([{ status: 'PUBLISHED' }]);
  });

  test('is retried while the directory is down, and reports the reason', async () => {
    await scene.control.simulateOutage('YELP');
    await reply('Thank you');
    await scene.runJobs();
    expect(await thread()).toMatchObject([{ status: 'SCHEDULED', message: expect.any(String) }]);
    await scene.control.endFailure('YELP');
    await expect
      .poll(async () => {
        await scene.runJobs({ early: true });
        return (await thread())[0].status;
      })
      .toBe('PUBLISHED');
    expect(await thread()).not.toMatchObject([{ message: expect.anything() }]);
    expect(await onDirectory()).toHaveLength(1);
  });

  test('fails with the message of the directory and is sent again after a change', async () => {
    const { body } = await reply('Thank you');
    await scene.control.removeDataPoint('YELP', external);
    await scene.runJobs();
    expect(await thread()).toMatchObject([{ status: 'FAILED', message: expect.stringContaining(external) }]);
    await scene.control.restoreDataPoint('YELP', external);
    const changed = await partner.call('PATCH', `${path()}/${body.response.id}`, { data: 'Thanks a lot' });
    expect(changed).toMatchObject({ code: 200, body: { response: { status: 'SCHEDULED', data: 'Thanks a lot' } } });
    await scene.runJobs();
    expect(await onDirectory()).toMatchObject([{ text: 'Thanks a lot' }]);
  });
});

describe('rejects', () => {
  test('a reply longer than the directory accepts', async () => {
    const { code, body } = await reply('x'.repeat(1001));
    expect(code).toBe(400);
    expect(body).toMatchObject({
      status: 'INVALID_PARAMETER',
      errorCode: 'REPLY_TOO_LONG',
      errors: [{ field: 'data', message: expect.stringContaining('1000') }],
    });
    expect(await thread()).toEqual([]);
    expect((await reply('x'.repeat(1000))).code).toBe(200);
  });

  test('a second reply to a review, also when two are concurrent', async () => {
    const responses = await Promise.all([reply('One'), reply('Two'), reply('Three')]);
    expect(responses.map(({ code }) => code).sort()).toEqual([200, 409, 409]);
    expect(responses.find(({ code }) => code === 409)?.body).toMatchObject({ errorCode: 'TOO_MANY_REPLIES' });
    expect(await thread()).toHaveLength(1);
  });

  test('a reply to a datapoint that does not support replies', async () => {
    await arrange('YELLOW_PAGES');
    expect(await reply('Thank you')).toMatchObject({ code: 400, body: { errorCode: 'REPLY_NOT_SUPPORTED' } });
    await arrange('GOOGLE');
    await scene.control.removeDataPoint('GOOGLE', external);
    await scene.check(place);
    expect(await reply('Thank you')).toMatchObject({ code: 400, body: { errorCode: 'REPLY_NOT_SUPPORTED' } });
    const { body } = await partner.call('GET', `/api/data-points/${review}`);
    expect(body.response).toMatchObject({ status: 'INVALID', supportsReply: false, replyMaxLength: 0 });
  });

  test('a reply after the listing was unlinked, and does not send an earlier one', async () => {
    const { body } = await reply('Thank you');
    const unlink = 'update listings set external_id = null, unlinked_pages = array[external_id] where id = $1';
    await scene.query(unlink, [place.listingId]);
    await scene.runJobs();
    expect(await onDirectory()).toEqual([]);
    const message = expect.stringContaining('no longer linked');
    expect(await thread()).toMatchObject([{ id: body.response.id, status: 'FAILED', message }]);
    expect(await reply('Thanks')).toMatchObject({ code: 400, body: { errorCode: 'REPLY_NOT_SUPPORTED', message } });
    // Linked to another directory listing, which has not been read yet.
    await scene.query(`update listings set external_id = 'other' where id = $1`, [place.listingId]);
    expect(await reply('Thanks')).toMatchObject({ code: 400, body: { errorCode: 'REPLY_NOT_SUPPORTED', message } });
  });

  test.each([['   '], [''], [undefined], [7]])('%j', async (data) => {
    expect((await reply(data)).code).toBe(400);
  });

  test('a change of a published reply', async () => {
    const { body } = await reply('Thank you');
    await scene.runJobs();
    const at = `${path()}/${body.response.id}`;
    expect(await partner.call('PATCH', at, { data: 'Other' })).toMatchObject({ code: 409 });
    expect(await partner.call('DELETE', at)).toMatchObject({ code: 409 });
  });

  test('a change of a reply that is being sent', async () => {
    const { body } = await reply('Thank you');
    await scene.query(`update datapoint_replies set status = 'SENDING', sending_until = now() + interval '1 min'`);
    const at = `${path()}/${body.response.id}`;
    expect(await partner.call('PATCH', at, { data: 'Other' })).toMatchObject({ code: 423 });
    expect(await partner.call('DELETE', at)).toMatchObject({ code: 423 });
  });
});

test('a scheduled reply waits while the loss of the link is doubted', async () => {
  await reply('Thank you');
  await scene.query('update listings set external_id = null where id = $1', [place.listingId]);
  await scene.runJobs();
  expect(await thread()).toMatchObject([{ status: 'SCHEDULED', message: expect.stringContaining('no longer linked') }]);
  expect(await onDirectory()).toEqual([]);
  await scene.query('update listings set external_id = $2 where id = $1', [place.listingId, place.page]);
  await scene.runJobs({ early: true });
  expect(await thread()).toMatchObject([{ status: 'PUBLISHED' }]);
});

test('a scheduled reply fails if the owner has replied on the directory in the meantime', async () => {
  await scene.control.simulateOutage('YELP');
  const { body } = await reply('Thank you');
  await scene.runJobs();
  await scene.control.endFailure('YELP');
  await scene.control.addReply('YELP', external, { text: 'We are sorry', isOwner: true });
  await scene.checkUntil(place, async () => (await thread()).length === 2);
  await scene.runJobs({ early: true });
  const message = expect.stringMatching(/one owner reply .* An earlier attempt may have published this reply/);
  const failed = { id: body.response.id, status: 'FAILED', message };
  expect(await thread()).toContainEqual(expect.objectContaining(failed));
  expect(await onDirectory()).toMatchObject([{ text: 'We are sorry' }]);
  expect((await partner.call('DELETE', `${path()}/${body.response.id}`)).code).toBe(200);
});

test('a withdrawn reply does not count towards the limit', async () => {
  const { body } = await reply('Thank you');
  expect(await partner.call('DELETE', `${path()}/${body.response.id}`)).toMatchObject({ code: 200 });
  await scene.runJobs();
  expect(await onDirectory()).toEqual([]);
  expect(await thread()).toEqual([]);
  expect((await partner.call('DELETE', `${path()}/${body.response.id}`)).code).toBe(404);
  expect((await reply('Thanks')).code).toBe(200);
});

describe('approval', () => {
  test('a reply of a location manager requires approval by another user', async () => {
    const manager = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds: [place.locationId] });
    const admin = await addUser(scene.api, partner, { role: 'ADMIN' });
    const { body } = await reply('Thank you', manager);
    expect(body.response).toMatchObject({ status: 'PENDING_APPROVAL', createdBy: manager.user.email });
    await scene.runJobs();
    expect(await onDirectory()).toEqual([]);
    const approve = `${path()}/${body.response.id}/approve`;
    expect((await manager.call('POST', approve)).code).toBe(403);
    const approved = await admin.call('POST', approve);
    expect(approved.body.response).toMatchObject({ status: 'SCHEDULED', approvedBy: admin.user.email });
    expect((await admin.call('POST', approve)).code).toBe(409);
    await scene.runJobs();
    expect(await onDirectory()).toHaveLength(1);
  });

  test('is not possible after the owner has replied on the directory', async () => {
    const manager = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds: [place.locationId] });
    const { body } = await reply('Thank you', manager);
    await scene.control.addReply('YELP', external, { text: 'We are sorry', isOwner: true });
    await scene.check(place);
    const at = `${path()}/${body.response.id}`;
    for (const [method, to, change] of [
      ['POST', `${at}/approve`, undefined],
      ['PATCH', at, { data: 'Thanks' }],
    ] as const) {
      expect(await partner.call(method, to, change)).toMatchObject({
        code: 409,
        body: { errorCode: 'TOO_MANY_REPLIES' },
      });
    }
    await scene.runJobs();
    expect(await onDirectory()).toMatchObject([{ text: 'We are sorry' }]);
    expect((await manager.call('DELETE', at)).code).toBe(200);
  });

  test('is required again, without an approver, after a location manager changes the reply', async () => {
    const manager = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds: [place.locationId] });
    const at = `${path()}/${(await reply('Thank you', manager)).body.response.id}`;
    expect((await partner.call('POST', `${at}/approve`)).body.response).toHaveProperty('approvedBy');
    const { body } = await manager.call('PATCH', at, { data: 'Thanks' });
    expect(body.response).toMatchObject({ status: 'PENDING_APPROVAL', data: 'Thanks' });
    expect(body.response).not.toHaveProperty('approvedBy');
  });

  test('a user with read access can neither reply nor mark', async () => {
    const reader = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['INBOX_READ'],
      businessIds: [place.businessId],
    });
    expect((await reader.call('GET', `/api/data-points/${review}`)).code).toBe(200);
    expect((await reply('Thank you', reader)).code).toBe(403);
    expect((await reader.call('PATCH', `/api/data-points/${review}`, { read: true })).code).toBe(403);
  });

  test('write access includes read access', async () => {
    const writer = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['INBOX_WRITE'],
      businessIds: [place.businessId],
    });
    expect((await writer.call('GET', `/api/data-points/${review}`)).code).toBe(200);
  });
});

test('a reply is not found under another datapoint or partner', async () => {
  const { body } = await reply('Thank you');
  const stranger = await scene.api.addPartner();
  const elsewhere = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds: [] });
  const at = `${path()}/${body.response.id}`;
  for (const who of [stranger, elsewhere]) {
    expect((await reply('Mine', who)).code).toBe(404);
    expect((await who.call('PATCH', at, { data: 'Mine' })).code).toBe(404);
    expect((await who.call('DELETE', at)).code).toBe(404);
  }
  expect((await stranger.call('POST', `${at}/approve`)).code).toBe(404);
  expect((await partner.call('DELETE', `/api/data-points/${review + 100_000}/replies/${body.response.id}`)).code).toBe(
    404,
  );
  expect(await thread()).toMatchObject([{ data: 'Thank you' }]);
});
