import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { type SocialLocation, SocialScene } from '../../../../test/support/social-posts.ts';

let scene: SocialScene;
let partner: TestPartner;
let location: SocialLocation;
let postCount = 0;

beforeAll(async () => {
  scene = await SocialScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
  location = await scene.addLinkedLocation(partner);
});
afterEach(async () => {
  for (const directory of ['GOOGLE', 'FACEBOOK']) await scene.sandbox.control.endFailure(directory);
});
afterAll(() => scene.close());

const hour = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString();

const post = (changes: object = {}) => ({
  description: `Fresh bread, number ${++postCount}`,
  directories: ['GOOGLE', 'FACEBOOK'],
  locationIds: [location.locationId],
  ...changes,
});
const patch = (id: number, change: object) => partner.call('PATCH', `/api/social-posts/${id}`, change);
const publishedPosts = (directory: string) => scene.shown(directory, location.pages[directory]);
const statuses = async (id: number) =>
  (await scene.publications(partner, id)).map(({ directory, status }) => `${directory} ${status}`).sort();

const waitingJobs = async (id: number) =>
  (await scene.query('select id, flags from graphile_worker.jobs where key = $1', [`social-post-${id}`])).rows;

test('withdraws a post on its end date', async () => {
  const { id } = await scene.create(partner, post({ dateEnd: inHours(1) }));
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toHaveLength(1);
  await scene.advanceClock(id, 2 * 3600);
  await scene.runJobs({ early: true });
  expect(await scene.read(partner, id)).toMatchObject({ status: 'ENDED' });
  expect(await publishedPosts('GOOGLE')).toEqual([]);
  expect(await statuses(id)).toEqual(['FACEBOOK WITHDRAWN', 'GOOGLE WITHDRAWN']);
  expect((await patch(id, { title: 'Late' })).code).toBe(409);
});

test('withdraws a deleted post also after a long outage', async () => {
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toHaveLength(1);
  await scene.sandbox.control.simulateOutage('GOOGLE');
  expect((await partner.call('DELETE', `/api/social-posts/${id}`)).code).toBe(200);
  await scene.query('update social_post_publications set attempts = 7 where post_id = $1', [id]);
  await scene.runJobs();
  expect(await statuses(id)).toEqual(['GOOGLE WITHDRAWING']);
  await scene.sandbox.control.endFailure('GOOGLE');
  await expect
    .poll(
      async () => {
        await scene.query('update social_post_publications set not_before = null where post_id = $1', [id]);
        await scene.runJobs({ early: true });
        return statuses(id);
      },
      { timeout: 10_000 },
    )
    .toEqual(['GOOGLE WITHDRAWN']);
  expect(await publishedPosts('GOOGLE')).toEqual([]);
});

test('does not publish a post that is deleted while its publication starts', async () => {
  const doubt = (status: string) =>
    scene.query(`update listings set sync_status = '${status}', claim_status = 'CLAIMED_BY_US', checked_revision = 1,
      not_before = now() where location_id = ${location.locationId} and directory_type = 'GOOGLE'`);
  await doubt('NOT_FOUND');
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  expect(await statuses(id)).toEqual(['GOOGLE PENDING']);
  await doubt('IN_SYNC');
  await scene.query('update social_post_publications set not_before = null where post_id = $1', [id]);
  await scene.query("select graphile_worker.add_job('social-posts.work', json_build_object('postId', $1::bigint))", [
    id,
  ]);
  const leased = () =>
    scene.query('select from social_post_publications where post_id = $1 and lease_token is not null', [id]);
  const { run } = await scene.api.database.transaction(async (transaction) => {
    // The job leases the publication, then waits to read its listing.
    await transaction.query('lock table listings in access exclusive mode');
    const run = scene.runJobs();
    await expect.poll(async () => (await leased()).rowCount).toBe(1);
    await scene.sandbox.control.simulateFailure('GOOGLE', 'truncated');
    expect((await partner.call('DELETE', `/api/social-posts/${id}`)).code).toBe(200);
    return { run };
  });
  await run;
  expect(await publishedPosts('GOOGLE')).toEqual([]);
  expect(await statuses(id)).toEqual(['GOOGLE WITHDRAWN']);
  expect((await leased()).rowCount).toBe(0);
});

test('withdraws from removed targets and publishes on added ones', async () => {
  const second = await scene.addLinkedLocation(partner);
  const { id } = await scene.create(partner, post());
  await scene.runJobs();
  await patch(id, { directories: ['GOOGLE'], locationIds: [second.locationId] });
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toEqual([]);
  expect(await publishedPosts('FACEBOOK')).toEqual([]);
  expect(await scene.shown('GOOGLE', second.pages.GOOGLE)).toHaveLength(1);
});

test('withdraws deactivated and deleted posts and republishes reactivated ones', async () => {
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  const publishedAt = (change = 'published_at') =>
    scene.query(
      `update social_post_publications set published_at = ${change} where post_id = $1
       returning published_at > now() - interval '1 day' as recent`,
      [id],
    );
  await publishedAt("now() - interval '60 days'");
  expect((await patch(id, { status: 'INACTIVE' })).body.response).toMatchObject({ status: 'INACTIVE' });
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toEqual([]);
  await patch(id, { status: 'SCHEDULED' });
  await scene.runJobs();
  expect(await scene.read(partner, id)).toMatchObject({ status: 'ACTIVE' });
  expect(await publishedPosts('GOOGLE')).toHaveLength(1);
  expect((await publishedAt()).rows).toEqual([{ recent: true }]);
  await partner.call('DELETE', `/api/social-posts/${id}`);
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toEqual([]);
  expect(await statuses(id)).toEqual(['GOOGLE WITHDRAWN']);
});

test('withdraws a rescheduled post until its new date', async () => {
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  const rescheduled = await patch(id, { publicationDate: inHours(100) });
  expect(rescheduled.body.response).toMatchObject({ status: 'SCHEDULED' });
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toEqual([]);
  expect(await waitingJobs(id)).toHaveLength(1);
  await scene.advanceClock(id, 101 * 3600);
  await scene.runJobs({ early: true });
  expect(await publishedPosts('GOOGLE')).toHaveLength(1);
});
