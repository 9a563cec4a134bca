import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { activate } from '../../../../test/support/locations.ts';
import { enableCollections } from '../../../../test/support/product-plans.ts';
import { type SocialLocation, SocialScene } from '../../../../test/support/social-posts.ts';
import { addFinder, visitor } from '../../../../test/support/store-finder.ts';
import { addUser } from '../../../../test/support/users.ts';

let scene: SocialScene;
let partner: TestPartner;
let location: SocialLocation;
let other: SocialLocation;
let postCount = 0;

beforeAll(async () => {
  scene = await SocialScene.open();
});
beforeEach(async () => {
  partner = await scene.api.addPartner();
  location = await scene.addLinkedLocation(partner);
  other = await scene.addLinkedLocation(partner);
});
afterAll(() => scene.close());

type Client = Pick<TestPartner, 'call'>;

const post = (changes: object = {}) => ({
  description: `Fresh bread, number ${++postCount}`,
  directories: ['GOOGLE'],
  locationIds: [location.locationId],
  ...changes,
});
const later = { publicationDate: new Date(Date.now() + 3_600_000).toISOString() };
const listed = async (by: Client, query = '') => {
  const { socialPosts, count } = (await by.call('GET', `/api/social-posts?${query}`)).body.response;
  expect(socialPosts).toHaveLength(count);
  return socialPosts.map(({ id }: { id: number }) => id);
};
const code = async (by: Client, method: string, id: number, body?: object) =>
  (await by.call(method, `/api/social-posts/${id}`, body)).code;
const manager = (businessIds: number[]) => addUser(scene.api, partner, { role: 'BUSINESS_MANAGER', businessIds });

describe('the current access decides', () => {
  test('after a location has moved to another business', async () => {
    const [before, after] = [await manager([location.businessId]), await manager([other.businessId])];
    const { id } = await scene.create(partner, post());
    await scene.runJobs();
    await partner.call('PATCH', `/api/locations/${location.locationId}`, { businessId: other.businessId });
    expect(await listed(before)).toEqual([]);
    expect(await code(before, 'PATCH', id, { description: 'Mine' })).toBe(404);
    expect(await listed(after)).toEqual([id]);
    expect(await scene.publications(after, id)).toMatchObject([{ locationId: location.locationId }]);
    expect(await code(after, 'PATCH', id, { description: 'Ours' })).toBe(200);
  });

  test('if the access of the author was reduced', async () => {
    const label = (await partner.call('POST', '/api/labels', { name: 'North' })).body.response;
    const author = await manager([location.businessId, other.businessId]);
    const targets = { locationIds: [location.locationId], businessIds: [other.businessId] };
    const [direct, labelled] = [
      await scene.create(author, post(targets)),
      await scene.create(author, post({ locationIds: [], labels: [label.id], ...later })),
    ];
    for (const { id } of [direct, labelled]) expect(await code(author, 'PATCH', id, { title: 'Today' })).toBe(200);
    const reduced = { businessIds: [location.businessId] };
    expect((await partner.call('PATCH', `/api/users/${author.user.id}`, reduced)).code).toBe(200);
    for (const { id } of [direct, labelled]) {
      expect(await code(author, 'GET', id)).toBe(200);
      expect(await code(author, 'PATCH', id, { title: 'Tomorrow' })).toBe(403);
      expect(await code(author, 'DELETE', id)).toBe(403);
    }
  });
});

test('store finders show published posts with isStoreLocator, latest first', async () => {
  await enableCollections(scene.api, partner);
  await activate(scene.api, partner, location.locationId);
  const visit = visitor(scene.api, partner, await addFinder(partner));
  const shown = async (query = '') => (await visit(`/locations/${location.locationId}${query}`)).body.response.posts;
  expect(await shown()).toEqual([]);
  const photos = [{ photo: 'https://example.com/a.jpg', description: 'A' }];
  const ids: number[] = [];
  for (let number = 0; number < 11; number += 1) {
    ids.unshift((await scene.create(partner, post({ photos, title: `Number ${number}` }))).id);
  }
  await scene.create(partner, post({ isStoreLocator: false }));
  await scene.create(partner, post(later));
  await scene.create(partner, post({ locationIds: [other.locationId] }));
  await scene.runJobs();
  const posts = await shown('?fieldMask=posts');
  expect(posts.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 10));
  expect(posts[0]).toMatchObject({ type: 'POST', title: 'Number 10', photos });
  expect(posts[0]).not.toHaveProperty('createdBy');
  await partner.call('PATCH', `/api/social-posts/${ids[0]}`, { status: 'INACTIVE' });
  expect((await shown())[0].id).toBe(ids[1]);
  expect((await visit('/locations?fieldMask=posts')).code).toBe(400);
});

describe('posts for businesses and labels', () => {
  test('are found by location before they are published', async () => {
    const label = (await partner.call('POST', '/api/labels', { name: 'North' })).body.response;
    await partner.call('PATCH', `/api/locations/${location.locationId}`, { labels: [label.id] });
    const ids: number[] = [];
    for (const targets of [{ businessIds: [location.businessId] }, { labels: [label.id] }]) {
      ids.unshift((await scene.create(partner, post({ locationIds: [], ...later, ...targets }))).id);
    }
    // Without access to the location.
    const { id: inaccessible } = await scene.create(
      await manager([other.businessId]),
      post({ locationIds: [], labels: [label.id], ...later }),
    );
    expect(await listed(partner, `locationIds=${location.locationId}`)).toEqual(ids);
    expect(await listed(partner, `locationIds=${other.locationId}`)).toEqual([]);
    const of = (locationId: number) =>
      addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds: [locationId] });
    expect(await listed(await of(location.locationId))).toEqual(ids);
    expect(await listed(await of(other.locationId))).toEqual([]);
    expect(await listed(partner)).toContain(inaccessible);
  });

  test('are duplicates if both authors can access a common location', async () => {
    const label = (await partner.call('POST', '/api/labels', { name: 'North' })).body.response;
    await partner.call('PATCH', `/api/locations/${location.locationId}`, { labels: [label.id] });
    const none = { locationIds: [], ...later };
    const byLabel = { ...none, labels: [label.id] };
    const targets = [later, { ...none, businessIds: [location.businessId] }, byLabel];
    const [withAccess, withoutAccess] = [await manager([location.businessId]), await manager([other.businessId])];
    const created = async (by: Client, body: object) => (await by.call('POST', '/api/social-posts', body)).code;
    for (const existing of targets) {
      const { description } = await scene.create(withAccess, post(existing));
      for (const added of targets) expect(await created(partner, post({ ...added, description }))).toBe(409);
      expect(await created(withAccess, post({ ...byLabel, description }))).toBe(409);
      expect(await created(withoutAccess, post({ ...byLabel, description }))).toBe(200);
    }
    const { description } = await scene.create(withoutAccess, post(byLabel));
    expect(await created(partner, post({ ...byLabel, description }))).toBe(200);
  });

  test('are not found by a location that is no longer a target', async () => {
    const { id } = await scene.create(partner, post());
    await scene.runJobs();
    await partner.call('PATCH', `/api/social-posts/${id}`, { locationIds: [other.locationId] });
    await scene.runJobs();
    expect(await listed(partner, `locationIds=${location.locationId}`)).toEqual([]);
    await partner.call('PATCH', `/api/social-posts/${id}`, { status: 'INACTIVE' });
    await scene.runJobs();
    expect(await listed(partner, `locationIds=${other.locationId}`)).toEqual([id]);
  });
});
