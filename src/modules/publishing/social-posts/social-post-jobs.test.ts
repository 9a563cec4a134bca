import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { type SocialLocation, SocialScene } from '../../../../test/support/social-posts.ts';
import { addUser } from '../../../../test/support/users.ts';
import { leasePublications, settleFailed } from './publication-store.ts';

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

test('publishes a post on every directory on its date', async () => {
  const given = post({
    publicationDate: inHours(2),
    photos: [{ photo: 'https://example.com/a.jpg', description: 'A' }],
    callToActions: [{ directory: 'GOOGLE', type: 'BOOK', url: 'https://example.com' }],
  });
  const { id } = await scene.create(partner, given);
  await scene.runJobs();
  expect(await scene.read(partner, id)).toMatchObject({ status: 'SCHEDULED' });
  expect(await publishedPosts('GOOGLE')).toEqual([]);
  await scene.advanceClock(id, 3 * 3600);
  await scene.runJobs({ early: true });
  expect(await scene.read(partner, id)).toMatchObject({ status: 'ACTIVE' });
  expect(await publishedPosts('GOOGLE')).toMatchObject([
    { type: 'POST', description: given.description, callToAction: { type: 'BOOK', url: 'https://example.com' } },
  ]);
  const [onFacebook, ...more] = await publishedPosts('FACEBOOK');
  expect(more).toEqual([]);
  expect(onFacebook).toMatchObject({ description: given.description });
  expect(onFacebook.callToAction).toBeUndefined();
  const publications = await scene.publications(partner, id);
  expect(publications).toMatchObject([
    { directory: 'FACEBOOK', status: 'PUBLISHED', locationId: location.locationId },
    { directory: 'GOOGLE', status: 'PUBLISHED' },
  ]);
  expect(publications[0].url).toContain('/posts/');
});

test('publishes the video and the terms of an offer', async () => {
  const offer = {
    type: 'OFFER',
    title: 'Two for one',
    dateStart: inHours(1),
    videos: ['https://example.com/bread.mp4'],
    couponCode: 'BREAD2',
    termsAndConditions: 'While stocks last',
  };
  await scene.create(partner, post(offer));
  await scene.runJobs();
  for (const directory of ['GOOGLE', 'FACEBOOK']) expect(await publishedPosts(directory)).toMatchObject([offer]);
});

test('a text that the directory refuses after it was corrected does not fail the post', async () => {
  await scene.sandbox.control.simulateOutage('GOOGLE');
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  await scene.sandbox.control.endFailure('GOOGLE');
  const { pool } = scene.api.database;
  await pool.query('update social_post_publications set not_before = null where post_id = $1', [id]);
  const [leased] = await leasePublications(pool, id, 1);
  if (!leased) throw new Error('The publication was not leased.');
  await patch(id, { description: 'Corrected' });
  await scene.runJobs();
  await settleFailed(pool, leased, { errorCode: null, message: 'too long' });
  await scene.runJobs({ early: true });
  expect(await statuses(id)).toEqual(['GOOGLE PUBLISHED']);
  expect(await publishedPosts('GOOGLE')).toMatchObject([{ description: 'Corrected' }]);
});

test('resolves business and label targets at publication', async () => {
  const label = (await partner.call('POST', '/api/labels', { name: 'North' })).body.response;
  const { id } = await scene.create(
    partner,
    post({ locationIds: [], businessIds: [location.businessId], labels: [label.id], publicationDate: inHours(1) }),
  );
  const labelled = await scene.addLinkedLocation(partner, { labels: [label.id] });
  const inBusiness = await scene.addLinkedLocation(partner, { businessId: location.businessId });
  await scene.advanceClock(id, 2 * 3600);
  await scene.runJobs({ early: true });
  for (const { pages } of [location, labelled, inBusiness])
    expect(await scene.shown('GOOGLE', pages.GOOGLE)).toHaveLength(1);
});

test('two processes publish once per listing', async () => {
  const locations = await Promise.all(Array.from({ length: 6 }, () => scene.addLinkedLocation(partner)));
  const { id } = await scene.create(partner, post({ locationIds: locations.map(({ locationId }) => locationId) }));
  await scene.api.database.pool.query(
    "select graphile_worker.add_job('social-posts.work', json_build_object('postId', $1::bigint))",
    [id],
  );
  await Promise.all([scene.runJobs(), scene.runJobs(), scene.runJobs()]);
  await scene.runJobs();
  for (const { pages } of locations) {
    for (const directory of ['GOOGLE', 'FACEBOOK']) {
      expect(await scene.shown(directory, pages[directory])).toHaveLength(1);
    }
  }
  expect(await scene.read(partner, id)).toMatchObject({ status: 'ACTIVE' });
});

const waitingJobs = async (id: number) =>
  (await scene.query('select id, flags from graphile_worker.jobs where key = $1', [`social-post-${id}`])).rows;

test('shares the job workers between partners', async () => {
  const { id } = await scene.create(partner, post({ publicationDate: inHours(1) }));
  const flags = { [`partner-${partner.partner.id}`]: true };
  expect(await waitingJobs(id)).toMatchObject([{ flags }]);
  await scene.sandbox.control.simulateOutage('GOOGLE');
  await scene.runJobs({ early: true });
  expect(await waitingJobs(id)).toMatchObject([{ flags }]);
});

test('a post that waits for its next attempt is not processed every minute', async () => {
  await scene.sandbox.control.simulateOutage('GOOGLE');
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  const waiting = await waitingJobs(id);
  expect(waiting).toHaveLength(1);
  await scene.query("select graphile_worker.add_job('social-posts.due')");
  await scene.runJobs();
  expect(await waitingJobs(id)).toEqual(waiting);
});

test('a crash before the result is stored does not publish twice', async () => {
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  await scene.api.database.pool.query(
    `update social_post_publications
     set status = 'PENDING', external_id = null, published_revision = null, lease_until = now() - interval '1 second'
     where post_id = $1`,
    [id],
  );
  await scene.api.database.pool.query("select graphile_worker.add_job('social-posts.due')");
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toHaveLength(1);
  expect(await statuses(id)).toEqual(['GOOGLE PUBLISHED']);
});

test.each([
  ['deleted', (id: number) => partner.call('DELETE', `/api/social-posts/${id}`), []],
  ['changed', (id: number) => patch(id, { description: 'Now with rye' }), [{ description: 'Now with rye' }]],
])('a %s post whose publication had no response is not shown any more', async (_, change, shown) => {
  await scene.sandbox.control.simulateFailure('GOOGLE', 'truncated');
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toHaveLength(1);
  expect(await statuses(id)).toEqual(['GOOGLE PENDING']);
  await change(id);
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
    .toEqual([shown.length > 0 ? 'GOOGLE PUBLISHED' : 'GOOGLE WITHDRAWN']);
  expect(await publishedPosts('GOOGLE')).toMatchObject(shown);
});

test("stores a directory's refusal and publishes on the others", async () => {
  const instagram = await scene.addLinkedLocation(partner, { directories: ['INSTAGRAM', 'GOOGLE'] });
  const { id } = await scene.create(
    partner,
    post({
      directories: ['INSTAGRAM', 'GOOGLE'],
      locationIds: [instagram.locationId],
      photos: [{ photo: 'https://lindner.example/bread.jpg' }],
    }),
  );
  await scene.query(`update social_posts set photos = '[]' where id = $1`, [id]);
  await scene.runJobs();
  expect(await scene.read(partner, id)).toMatchObject({ status: 'ACTIVE' });
  expect(await scene.publications(partner, id)).toMatchObject([
    { directory: 'GOOGLE', status: 'PUBLISHED' },
    { directory: 'INSTAGRAM', status: 'FAILED', message: expect.stringContaining('must contain a photo') },
  ]);
});

test('a post without a possible publication becomes IMPOSSIBLE and can be rescheduled', async () => {
  const unconnected = await scene.addLinkedLocation(partner, { connected: false });
  const { id } = await scene.create(
    partner,
    post({ locationIds: [unconnected.locationId], directories: ['GOOGLE', 'APPLE_MAPS'], publicationDate: inHours(1) }),
  );
  await scene.advanceClock(id, 2 * 3600);
  await scene.runJobs({ early: true });
  expect(await scene.read(partner, id)).toMatchObject({ status: 'IMPOSSIBLE' });
  expect(await scene.publications(partner, id)).toMatchObject([
    { directory: 'APPLE_MAPS', status: 'FAILED', errorCode: 'NO_PAGE_SELECTED' },
    { directory: 'GOOGLE', status: 'FAILED', errorCode: 'NO_ACCOUNT_CONNECTED' },
  ]);
  await scene.api.database.pool.query("update listings set connect_status = 'CONNECTED' where location_id = $1", [
    unconnected.locationId,
  ]);
  expect((await patch(id, { status: 'SCHEDULED' })).body.response).toMatchObject({ status: 'SCHEDULED' });
  await scene.runJobs();
  expect(await scene.read(partner, id)).toMatchObject({ status: 'ACTIVE' });
  expect(await scene.shown('GOOGLE', unconnected.pages.GOOGLE)).toHaveLength(1);
});

test('retries a directory that is down and keeps the post PENDING', async () => {
  await scene.sandbox.control.simulateOutage('GOOGLE');
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  expect(await scene.read(partner, id)).toMatchObject({ status: 'SCHEDULED' });
  const [pending] = await scene.publications(partner, id);
  expect(pending).toMatchObject({ status: 'PENDING', message: expect.any(String) });
  expect(Date.parse(pending.nextTry)).toBeGreaterThan(Date.now());
  await scene.sandbox.control.endFailure('GOOGLE');
  await scene.api.database.pool.query('update social_post_publications set not_before = now() where post_id = $1', [
    id,
  ]);
  await scene.runJobs({ early: true });
  expect(await scene.read(partner, id)).toMatchObject({ status: 'ACTIVE' });
  expect(await publishedPosts('GOOGLE')).toHaveLength(1);
});

test('waits while a check doubts that the listing still exists', async () => {
  await scene.query(`update listings set sync_status = 'NOT_FOUND', claim_status = 'CLAIMED_BY_US', checked_revision = 1,
    not_before = now() where location_id = ${location.locationId} and directory_type = 'GOOGLE'`);
  const { id } = await scene.create(partner, post());
  await scene.runJobs();
  expect(await statuses(id)).toEqual(['FACEBOOK PUBLISHED', 'GOOGLE PENDING']);
});

test('a changed post replaces the published one', async () => {
  const { id } = await scene.create(partner, post());
  await scene.runJobs();
  const [before] = await publishedPosts('GOOGLE');
  const changed = await patch(id, { description: 'Now with more bread' });
  expect(changed.body.response).toMatchObject({ status: 'ACTIVE' });
  await scene.runJobs();
  const after = await publishedPosts('GOOGLE');
  expect(after).toMatchObject([{ description: 'Now with more bread' }]);
  expect(after[0].id).not.toBe(before.id);
  expect(await statuses(id)).toEqual(['FACEBOOK PUBLISHED', 'GOOGLE PUBLISHED']);
});

test('a post that changes again before its earlier revision is removed is shown once', async () => {
  const { id } = await scene.create(partner, post({ directories: ['GOOGLE'] }));
  await scene.runJobs();
  await scene.query(
    'update social_post_publications set stale_external_id = external_id, external_id = null where post_id = $1',
    [id],
  );
  await patch(id, { description: 'Changed again' });
  await scene.runJobs();
  expect(await publishedPosts('GOOGLE')).toMatchObject([{ description: 'Changed again' }]);
  expect(await statuses(id)).toEqual(['GOOGLE PUBLISHED']);
});

test('rejects an invalid status change and lists the allowed ones', async () => {
  const { id } = await scene.create(partner, post());
  await scene.runJobs();
  const rejected = await patch(id, { status: 'SCHEDULED' });
  expect(rejected.code).toBe(409);
  expect(rejected.body.message).toContain('is ACTIVE and cannot become SCHEDULED');
});

test('users see publications of accessible locations only', async () => {
  const accessible = await scene.addLinkedLocation(partner);
  const inaccessible = await scene.addLinkedLocation(partner);
  const both = { locationIds: [accessible.locationId, inaccessible.locationId] };
  const { id } = await scene.create(partner, post(both));
  await scene.runJobs();
  const visibleLocationIds = async (client: Pick<typeof partner, 'call'>) => {
    const { publications, count } = (await client.call('GET', `/api/social-posts/${id}/publications`)).body.response;
    expect(publications).toHaveLength(count);
    return [...new Set(publications.map(({ locationId }: { locationId: number }) => locationId))].sort();
  };
  expect(await visibleLocationIds(partner)).toEqual(both.locationIds.toSorted());
  const user = { role: 'LOCATION_MANAGER', locationIds: [accessible.locationId] } as const;
  const manager = await addUser(scene.api, partner, { ...user, locationIds: [...user.locationIds] });
  expect(await visibleLocationIds(manager)).toEqual([accessible.locationId]);
});

test("a manager's post is published only for accessible locations", async () => {
  const label = (await partner.call('POST', '/api/labels', { name: 'Everywhere' })).body.response;
  const accessible = await scene.addLinkedLocation(partner, { labels: [label.id] });
  const inaccessible = await scene.addLinkedLocation(partner, { labels: [label.id] });
  const manager = await addUser(scene.api, partner, { role: 'BUSINESS_MANAGER', businessIds: [accessible.businessId] });
  const { id } = await scene.create(manager, post({ locationIds: [], labels: [label.id] }));
  await scene.runJobs();
  expect(await scene.read(partner, id)).toMatchObject({ status: 'ACTIVE' });
  expect(await scene.shown('GOOGLE', accessible.pages.GOOGLE)).toHaveLength(1);
  expect(await scene.shown('GOOGLE', inaccessible.pages.GOOGLE)).toEqual([]);
});
