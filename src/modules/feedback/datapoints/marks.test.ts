import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene } from '../../../../test/support/feedback.ts';

const path = '/api/data-points';

let scene: FeedbackScene;
let stranger: TestPartner;
let foreign: number;
let mine: TestPartner;
let ids: number[];

beforeAll(async () => {
  scene = await FeedbackScene.open();
  stranger = await scene.api.addPartner();
  [foreign = 0] = await addDatapoints(stranger, 1);
});
afterAll(() => scene.close());

beforeEach(async () => {
  mine = await scene.api.addPartner();
  ids = await addDatapoints(mine, 3);
});

async function addDatapoints(by: TestPartner, count: number): Promise<number[]> {
  const at = await scene.addUnlinkedLocation(by);
  const added: number[] = [];
  while (added.length < count) added.push(await scene.addDatapoint(at, { day: 1, rating: 1 }, by));
  return added;
}

test('changes only the given marks', async () => {
  const at = `${path}/${ids[0]}`;
  expect((await mine.call('PATCH', at, { read: true })).body.response).toMatchObject({ read: true, liked: false });
  expect((await mine.call('PATCH', at, { liked: true, flagged: true })).body.response).toMatchObject({
    read: true,
    liked: true,
    flagged: true,
  });
  expect((await mine.call('PATCH', at, { read: false })).body.response).toMatchObject({ read: false, liked: true });
  expect((await mine.call('PATCH', at, {})).code).toBe(400);
  for (const [url, body] of [
    [at, { raed: true }],
    [path, { ids, raed: true }],
  ] as const) {
    const { code, body: problem } = await mine.call('PATCH', url, body);
    expect({ code, message: problem.message }).toEqual({
      code: 400,
      message: expect.stringContaining('Unknown field ignored: raed. Send at least one of read, liked, flagged.'),
    });
  }
  expect((await mine.call('PATCH', at, { read: null })).code).toBe(400);
});

test('like and flag have separate endpoints', async () => {
  const at = `${path}/${ids[0]}`;
  expect((await mine.call('POST', `${at}/like`)).body.response.liked).toBe(true);
  expect((await mine.call('POST', `${at}/flag`)).body.response).toMatchObject({ liked: true, flagged: true });
  expect((await mine.call('DELETE', `${at}/like`)).body.response).toMatchObject({ liked: false, flagged: true });
});

test('marks many datapoints and reports missing ones', async () => {
  const all = await mine.call('PATCH', path, { ids, read: true });
  expect(all.body).toMatchObject({
    status: 'SUCCESS',
    response: { updatedCount: 3, failedCount: 0, updatedIds: ids },
  });
  const some = await mine.call('PATCH', path, { ids: [ids[0], foreign, 999_999], flagged: true });
  expect(some).toMatchObject({
    code: 200,
    body: { status: 'PARTIAL_ERROR', response: { updatedCount: 1, failedCount: 2, updatedIds: [ids[0]] } },
  });
  expect(some.body.response.failed).toEqual(
    [foreign, 999_999].map((missing) => ({
      id: missing,
      status: 'NOT_FOUND',
      message: `There is no datapoint ${missing}.`,
    })),
  );
  expect((await stranger.call('GET', `${path}?flagged=true`)).body.response.inbox.count).toBe(0);
  expect((await mine.call('GET', `${path}?flagged=true`)).body.response.inbox.count).toBe(1);
});
