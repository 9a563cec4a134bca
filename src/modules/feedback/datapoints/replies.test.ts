import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene, type TestPlace } from '../../../../test/support/feedback.ts';
import { addUser } from '../../../../test/support/users.ts';

let scene: FeedbackScene;
let partner: TestPartner;
let place: TestPlace;
/** Our id of the review, and the directory's. */
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
  place = await scene.addPlace(partner, directory);
  external = (await scene.review(place, { rating: 2 })).id;
  await scene.check(place);
  review = (await scene.datapoints(place))[0].id;
}

const path = () => `/api/data-points/${review}/replies`;
const answer = (data: unknown, by: { call: TestPartner['call'] } = partner) => by.call('POST', path(), { data });
const thread = async () => (await partner.call('GET', `/api/data-points/${review}`)).body.response.replies;
const onDirectory = async () => {
  const { dataPoints } = await scene.control.dataPoints(place.directory, { listing: place.page });
  return dataPoints.find(({ id }) => id === external)?.replies ?? [];
};

describe('an answer', () => {
  test('is sent to the directory by a job, and published', async () => {
    const { code, body } = await answer('Thank you, we are sorry');
    expect(code).toBe(200);
    expect(body.response).toMatchObject({
      data: 'Thank you, we are sorry',
      ownerReply: true,
      status: 'SCHEDULED',
      createdBy: 'PRIVATE_TOKEN',
    });
    expect(await onDirectory()).toEqual([]);
    await scene.work();
    expect(await thread()).toMatchObject([{ id: body.response.id, status: 'PUBLISHED' }]);
    expect(await onDirectory()).toMatchObject([{ text: 'Thank you, we are sorry', isOwner: true }]);
    expect(await scene.datapoints(place)).toMatchObject([{ replied: true, replies: 1 }]);
  });

  test('of ours that a check meets is neither new nor a change', async () => {
    await answer('Thank you');
    await scene.work();
    const before = await scene.events(partner);
    await scene.check(place);
    expect(await scene.events(partner)).toEqual(before);
    expect(await thread()).toHaveLength(1);
  });

  describe('that the directory took without our hearing of it', () => {
    beforeEach(async () => {
      await scene.control.simulateFailure('YELP', 'truncated');
      await answer('Thank you');
      await scene.work();
      await scene.control.endFailure('YELP');
      expect(await thread()).toMatchObject([{ status: 'SCHEDULED' }]);
      expect(await onDirectory()).toHaveLength(1);
    });

    test('is sent again without being there twice', async () => {
      await expect
        .poll(async () => {
          await scene.work({ early: true });
          return (await thread())[0].status;
        })
        .toBe('PUBLISHED');
      expect(await onDirectory()).toHaveLength(1);
      expect(await thread()).toHaveLength(1);
    });

    test('cannot be changed into a second one', async () => {
      const [{ id }] = await thread();
      expect((await partner.call('PATCH', `${path()}/${id}`, { data: 'Other' })).code).toBe(423);
    });

    test('is recognised by the next check', async () => {
      const before = await scene.events(partner);
      await scene.checkUntil(place, async () => (await thread())[0].status === 'PUBLISHED');
      expect(await thread()).toMatchObject([{ createdBy: 'PRIVATE_TOKEN' }]);
      await scene.work({ early: true });
      expect(await onDirectory()).toHaveLength(1);
      expect(await thread()).toHaveLength(1);
      expect(await scene.events(partner)).toEqual(before);
    });
  });

  test('that several processes are told to send is sent once', async () => {
    const { body } = await answer('Thank you');
    for (let n = 0; n < 3; n++) {
      await scene.query(`select graphile_worker.add_job('datapoints.send-reply', $1::json)`, [
        JSON.stringify({ replyId: body.response.id }),
      ]);
    }
    await Promise.all([scene.work(), scene.work(), scene.work()]);
    expect(await onDirectory()).toHaveLength(1);
    expect(await thread()).toMatchObject([{ status: 'PUBLISHED' }]);
  });

  test('waits for a directory that is down, and says why', async () => {
    await scene.control.simulateOutage('YELP');
    await answer('Thank you');
    await scene.work();
    expect(await thread()).toMatchObject([{ status: 'SCHEDULED', message: expect.any(String) }]);
    await scene.control.endFailure('YELP');
    await expect
      .poll(async () => {
        await scene.work({ early: true });
        return (await thread())[0].status;
      })
      .toBe('PUBLISHED');
    expect(await thread()).not.toMatchObject([{ message: expect.anything() }]);
    expect(await onDirectory()).toHaveLength(1);
  });

  test('that the directory refuses has failed, in its words; changed, it is sent again', async () => {
    const { body } = await answer('Thank you');
    await scene.control.removeDataPoint('YELP', external);
    await scene.work();
    expect(await thread()).toMatchObject([{ status: 'FAILED', message: expect.stringContaining(external) }]);
    await scene.control.restoreDataPoint('YELP', external);
    const changed = await partner.call('PATCH', `${path()}/${body.response.id}`, { data: 'Thanks a lot' });
    expect(changed).toMatchObject({ code: 200, body: { response: { status: 'SCHEDULED', data: 'Thanks a lot' } } });
    await scene.work();
    expect(await onDirectory()).toMatchObject([{ text: 'Thanks a lot' }]);
  });
});

describe('what is refused', () => {
  test('an answer longer than the directory takes', async () => {
    const { code, body } = await answer('x'.repeat(1001));
    expect(code).toBe(400);
    expect(body).toMatchObject({
      status: 'INVALID_PARAMETER',
      errorCode: 'REPLY_TOO_LONG',
      errors: [{ field: 'data', message: expect.stringContaining('1000') }],
    });
    expect(await thread()).toEqual([]);
    expect((await answer('x'.repeat(1000))).code).toBe(200);
  });

  test('a second answer to a review, also when two race', async () => {
    const answers = await Promise.all([answer('One'), answer('Two'), answer('Three')]);
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ code }) => code === 409)?.body).toMatchObject({ errorCode: 'TOO_MANY_REPLIES' });
    expect(await thread()).toHaveLength(1);
  });

  test('an answer to what takes none', async () => {
    await arrange('YELLOW_PAGES');
    expect(await answer('Thank you')).toMatchObject({ code: 400, body: { errorCode: 'REPLY_NOT_SUPPORTED' } });
    await arrange('GOOGLE');
    await scene.control.removeDataPoint('GOOGLE', external);
    await scene.check(place);
    expect(await answer('Thank you')).toMatchObject({ code: 400, body: { errorCode: 'REPLY_NOT_SUPPORTED' } });
    const { body } = await partner.call('GET', `/api/data-points/${review}`);
    expect(body.response).toMatchObject({ status: 'INVALID', supportsReply: false, replyMaxLength: 0 });
  });

  test.each([['   '], [''], [undefined], [7]])('%j', async (data) => {
    expect((await answer(data)).code).toBe(400);
  });

  test('a change of what the directory has', async () => {
    const { body } = await answer('Thank you');
    await scene.work();
    const at = `${path()}/${body.response.id}`;
    expect(await partner.call('PATCH', at, { data: 'Other' })).toMatchObject({ code: 409 });
    expect(await partner.call('DELETE', at)).toMatchObject({ code: 409 });
  });

  test('a change of what is being sent', async () => {
    const { body } = await answer('Thank you');
    await scene.query(`update datapoint_replies set status = 'SENDING', sending_until = now() + interval '1 min'`);
    const at = `${path()}/${body.response.id}`;
    expect(await partner.call('PATCH', at, { data: 'Other' })).toMatchObject({ code: 423 });
    expect(await partner.call('DELETE', at)).toMatchObject({ code: 423 });
  });
});

test('an answer can be withdrawn before it is sent, and leaves room for another', async () => {
  const { body } = await answer('Thank you');
  expect(await partner.call('DELETE', `${path()}/${body.response.id}`)).toMatchObject({ code: 200 });
  await scene.work();
  expect(await onDirectory()).toEqual([]);
  expect(await thread()).toEqual([]);
  expect((await partner.call('DELETE', `${path()}/${body.response.id}`)).code).toBe(404);
  expect((await answer('Thanks')).code).toBe(200);
});

describe('approval', () => {
  test("a location manager's answer waits until somebody else approves it", async () => {
    const manager = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds: [place.locationId] });
    const admin = await addUser(scene.api, partner, { role: 'ADMIN' });
    const { body } = await answer('Thank you', manager);
    expect(body.response).toMatchObject({ status: 'PENDING_APPROVAL', createdBy: manager.user.email });
    await scene.work();
    expect(await onDirectory()).toEqual([]);
    const approve = `${path()}/${body.response.id}/approve`;
    expect((await manager.call('POST', approve)).code).toBe(403);
    const approved = await admin.call('POST', approve);
    expect(approved.body.response).toMatchObject({ status: 'SCHEDULED', approvedBy: admin.user.email });
    expect((await admin.call('POST', approve)).code).toBe(409);
    await scene.work();
    expect(await onDirectory()).toHaveLength(1);
  });

  test('who may only read can neither answer nor mark', async () => {
    const reader = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['INBOX_READ'],
      businessIds: [place.businessId],
    });
    expect((await reader.call('GET', `/api/data-points/${review}`)).code).toBe(200);
    expect((await answer('Thank you', reader)).code).toBe(403);
    expect((await reader.call('PATCH', `/api/data-points/${review}`, { read: true })).code).toBe(403);
  });

  test('who may write may read', async () => {
    const writer = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      features: ['INBOX_WRITE'],
      businessIds: [place.businessId],
    });
    expect((await writer.call('GET', `/api/data-points/${review}`)).code).toBe(200);
  });
});

test('an answer is of its datapoint and its partner', async () => {
  const { body } = await answer('Thank you');
  const stranger = await scene.api.addPartner();
  const elsewhere = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds: [] });
  const at = `${path()}/${body.response.id}`;
  for (const who of [stranger, elsewhere]) {
    expect((await answer('Mine', who)).code).toBe(404);
    expect((await who.call('PATCH', at, { data: 'Mine' })).code).toBe(404);
    expect((await who.call('DELETE', at)).code).toBe(404);
  }
  expect((await stranger.call('POST', `${at}/approve`)).code).toBe(404);
  expect((await partner.call('DELETE', `/api/data-points/${review + 100_000}/replies/${body.response.id}`)).code).toBe(
    404,
  );
  expect(await thread()).toMatchObject([{ data: 'Thank you' }]);
});
