import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { addBusiness } from '../../../../test/support/locations.ts';
import { type SocialLocation, SocialScene } from '../../../../test/support/social-posts.ts';
import { addUser } from '../../../../test/support/users.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { createPost } from './write-post.ts';

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
afterAll(() => scene.close());

const hour = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString();

const post = (changes: object = {}) => ({
  description: `Fresh bread, number ${++postCount}`,
  directories: ['GOOGLE'],
  locationIds: [location.locationId],
  publicationDate: inHours(1),
  ...changes,
});
const create = async (body: object, by: { call: TestPartner['call'] } = partner) =>
  by.call('POST', '/api/social-posts', body);
const fieldsOf = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field);

describe('content', () => {
  test('returns all given fields', async () => {
    const given = {
      type: 'OFFER',
      title: 'Two for one',
      description: 'All day',
      directories: ['GOOGLE', 'FACEBOOK'],
      locationIds: [location.locationId],
      publicationDate: inHours(1),
      dateStart: inHours(2),
      dateEnd: inHours(48),
      photos: [{ photo: 'https://example.com/bread.jpg', description: 'Bread' }],
      videos: ['https://example.com/bread.mp4'],
      callToActions: [{ directory: 'GOOGLE', type: 'BUY', url: 'https://example.com/shop' }],
      couponCode: 'BREAD2',
      termsAndConditions: 'While stocks last',
    };
    const created = await scene.create(partner, given);
    expect(created).toMatchObject({ ...given, status: 'SCHEDULED', isStoreLocator: true, createdBy: 'PRIVATE_TOKEN' });
    expect(await scene.read(partner, created.id)).toEqual(created);
  });

  test('defaults to type POST and immediate publication', async () => {
    const { publicationDate: _, ...now } = post();
    const created = await scene.create(partner, now);
    expect(created).toMatchObject({ type: 'POST', status: 'SCHEDULED' });
    expect(Math.abs(Date.parse(created.publicationDate) - Date.now())).toBeLessThan(60_000);
  });

  test('requires dateStart for OFFER and EVENT, and dateEnd after it', async () => {
    for (const type of ['OFFER', 'EVENT']) {
      const rejected = await create(post({ type, title: 'T' }));
      expect(rejected.body).toMatchObject({ status: 'MISSING_PARAMETER', errors: [{ field: 'dateStart' }] });
    }
    expect((await create(post({ type: 'QUESTION_AND_ANSWER', title: 'Open on Sunday?' }))).code).toBe(200);
    const endBeforeStart = await create(
      post({ type: 'EVENT', title: 'T', dateStart: inHours(5), dateEnd: inHours(4) }),
    );
    expect(endBeforeStart.body).toMatchObject({
      status: 'INVALID_PARAMETER',
      errors: [{ field: 'dateEnd', rule: 'order' }],
    });
    expect(fieldsOf(await create(post({ dateEnd: inHours(0.5) })))).toEqual(['dateEnd']);
    // The last two are outside the range of PostgreSQL and after the year 9999.
    for (const publicationDate of ['tomorrow', '2027-02-30T09:00:00Z', -1_000_000_000_000_000, 253_402_300_800_000]) {
      expect(fieldsOf(await create(post({ publicationDate })))).toEqual(['publicationDate']);
    }
    expect((await create(post({ publicationDate: Date.now() + hour }))).code).toBe(200);
  });

  test('requires the texts of each type and allows coupons for OFFER only', async () => {
    expect(fieldsOf(await create(post({ description: null })))).toEqual(['description']);
    expect(fieldsOf(await create(post({ type: 'EVENT', dateStart: inHours(2) })))).toEqual(['title']);
    expect(fieldsOf(await create(post({ couponCode: 'X' })))).toEqual(['couponCode']);
  });

  test('rejects texts above the limit of a directory', async () => {
    const fits = post({ title: 'Bread', description: 'x'.repeat(1500 - 'Bread'.length - 1) });
    expect((await create(fits)).code).toBe(200);
    const rejected = await create({ ...fits, description: `${fits.description}x` });
    expect(rejected.body.message).toContain(
      'Google accepts at most 1500 characters for title and description together',
    );
    expect((await create({ ...post(), description: 'x'.repeat(1501), directories: ['FACEBOOK'] })).code).toBe(200);
  });

  test('validates directories, calls to action and the number of videos', async () => {
    const unsupported = await create(post({ directories: ['GOOGLE', 'YELP', 'NOWHERE'] }));
    expect(fieldsOf(unsupported)).toEqual(['directories[1]', 'directories[2]']);
    expect(unsupported.body.message).toContain('GOOGLE');
    const action = (directory: string, more: object = { url: 'https://example.com' }) => ({
      directory,
      type: 'BOOK',
      ...more,
    });
    expect(fieldsOf(await create(post({ callToActions: [action('FACEBOOK')] })))).toEqual([
      'callToActions[0].directory',
    ]);
    expect(fieldsOf(await create(post({ callToActions: [action('GOOGLE'), action('GOOGLE')] })))).toEqual([
      'callToActions[1]',
    ]);
    expect(fieldsOf(await create(post({ callToActions: [action('GOOGLE', {})] })))).toEqual(['callToActions[0].url']);
    const videos = ['https://example.com/1.mp4', 'https://example.com/2.mp4'];
    expect(fieldsOf(await create(post({ videos })))).toEqual(['videos']);
    expect(fieldsOf(await create(post({ locationIds: [] })))).toEqual(['locationIds']);
  });
});

describe('targets', () => {
  test('inaccessible targets are not found', async () => {
    const other = await scene.api.addPartner();
    const foreign = await scene.addLinkedLocation(other);
    expect((await create(post({ locationIds: [foreign.locationId] }))).code).toBe(400);
    expect((await create(post({ businessIds: [foreign.businessId] }))).code).toBe(400);
    const label = (await other.call('POST', '/api/labels', { name: 'North' })).body.response;
    expect((await create(post({ labels: [label.id] }))).code).toBe(400);
  });

  test('rejects an unpublishable post that is due now and warns if it is due later', async () => {
    const now = { publicationDate: null };
    const withoutListing = await create(post({ ...now, directories: ['APPLE_MAPS'] }));
    expect(withoutListing.body).toMatchObject({ status: 'USER_ERROR', errorCode: 'NO_PAGE_SELECTED' });
    const unconnected = await scene.addLinkedLocation(partner, { connected: false });
    const rejected = await create(post({ ...now, locationIds: [unconnected.locationId] }));
    expect(rejected.body).toMatchObject({ status: 'USER_ERROR', errorCode: 'NO_ACCOUNT_CONNECTED' });
    const later = await create(post({ directories: ['APPLE_MAPS', 'GOOGLE'] }));
    expect(later.body.warnings).toEqual([
      'None of the locations has a listing on Apple Maps yet. Sync the locations first.',
    ]);
    const label = (await partner.call('POST', '/api/labels', { name: 'Unused' })).body.response;
    const unused = post({ locationIds: [], labels: [label.id], directories: ['GOOGLE', 'FACEBOOK'] });
    expect((await create(unused)).body.warnings).toEqual([expect.stringContaining('The targets have no location')]);
    const withoutLocation = await create({ ...unused, ...now });
    expect(withoutLocation.body).toMatchObject({
      errorCode: 'NO_PAGE_SELECTED',
      message: expect.stringContaining('The targets have no location'),
    });
  });

  test('rejects the same text for the same location at the same time', async () => {
    const first = post({ dateEnd: inHours(10) });
    const { id } = await scene.create(partner, first);
    const again = await create({ ...first, title: null, description: first.description.toUpperCase() });
    expect(again.code).toBe(409);
    expect(again.body).toMatchObject({ status: 'CONFLICT', errorCode: 'OVERLAPPING_SOCIALPOST' });
    expect(again.body.message).toContain(`Social post ${id}`);
    const viaBusiness = { ...first, locationIds: [], businessIds: [location.businessId] };
    expect((await create(viaBusiness)).code).toBe(409);
    expect((await create({ ...first, directories: ['FACEBOOK'] })).code).toBe(200);
    expect((await create({ ...first, publicationDate: inHours(11), dateEnd: inHours(12) })).code).toBe(200);
    const otherLocation = await scene.addLinkedLocation(partner);
    expect((await create({ ...first, locationIds: [otherLocation.locationId] })).code).toBe(200);
  });
});

test('the same text at many locations does not need more statements', async () => {
  const same = post({ locationIds: [] });
  const statementsFor = async () => {
    const { locationId } = await scene.addLinkedLocation(partner);
    const caller = { partnerId: partner.partner.id, by: 'PRIVATE_TOKEN' } as Caller;
    return scene.api.database.transaction(async (transaction) => {
      let statements = 0;
      const query = (...given: Parameters<typeof transaction.query>) => {
        statements += 1;
        return transaction.query(...given);
      };
      const counting = { ...transaction, query: query as typeof transaction.query };
      await createPost(counting, caller, { ...same, locationIds: [locationId] });
      return statements;
    });
  };
  const [first] = [await statementsFor(), await statementsFor()];
  expect(await statementsFor()).toBe(first);
});

describe('changes', () => {
  test('PATCH and PUT change given fields, null deletes, and all rules apply', async () => {
    const { id } = await scene.create(partner, post({ title: 'Title', isStoreLocator: false }));
    const patched = await partner.call('PATCH', `/api/social-posts/${id}`, { title: null, photos: [] });
    expect(patched.body.response).toMatchObject({ isStoreLocator: false, status: 'SCHEDULED' });
    expect(patched.body.response.title).toBeUndefined();
    const put = await partner.call('PUT', `/api/social-posts/${id}`, { description: 'Other words' });
    expect(put.body.response).toMatchObject({ description: 'Other words', locationIds: [location.locationId] });
    expect((await partner.call('PATCH', `/api/social-posts/${id}`, { type: 'EVENT' })).code).toBe(400);
    expect((await partner.call('PATCH', `/api/social-posts/${id}`, {})).code).toBe(400);
  });

  test('the current status is not a change', async () => {
    const { id } = await scene.create(partner, post());
    await partner.call('PATCH', `/api/social-posts/${id}`, { status: 'SCHEDULED', title: 'Today' });
    await partner.call('PATCH', `/api/social-posts/${id}`, { status: 'INACTIVE' });
    const path = `/api/audit-trail?subject=SOCIAL_POST&subjectId=${id}`;
    const { entries } = (await partner.call('GET', path)).body.response;
    const changes = entries.map(({ details }: { details: { fields?: string[] } }) => details.fields);
    expect(changes).toEqual([['status'], ['title'], undefined]);
  });

  test('targets that stay the same keep the access of the user who selected them', async () => {
    const author = await addUser(scene.api, partner, {
      role: 'LOCATION_MANAGER',
      locationIds: [location.locationId],
      features: ['SOCIAL_POST_WRITE'],
    });
    const label = (await partner.call('POST', '/api/labels', { name: 'North' })).body.response;
    for (const { locationId } of [location, await scene.addLinkedLocation(partner)]) {
      await partner.call('PATCH', `/api/locations/${locationId}`, { labels: [label.id] });
    }
    const { id } = await scene.create(author, post({ locationIds: [], labels: [label], publicationDate: inHours(1) }));
    const read = await scene.read(partner, id);
    await partner.call('PUT', `/api/social-posts/${id}`, { ...read, publicationDate: null, title: 'Today' });
    await partner.call('POST', `/api/social-posts/${id}/approve`);
    await scene.runJobs();
    const { publications } = (await partner.call('GET', `/api/social-posts/${id}/publications`)).body.response;
    expect(publications).toMatchObject([{ locationId: location.locationId, status: 'PUBLISHED' }]);
  });

  test.each(['PUT', 'PATCH'] as const)(
    '%s accepts a published post as read and rejects other statuses',
    async (method) => {
      const { id } = await scene.create(partner, post({ publicationDate: null }));
      await scene.runJobs();
      const read = await scene.read(partner, id);
      expect(read).toMatchObject({ status: 'ACTIVE' });
      const written = await partner.call(method, `/api/social-posts/${id}`, { ...read, title: 'Today' });
      expect(written).toMatchObject({ code: 200, body: { response: { status: 'ACTIVE', title: 'Today' } } });
      expect(await partner.call(method, `/api/social-posts/${id}`, { status: 'ENDED' })).toMatchObject({
        code: 400,
        body: {
          errors: [{ field: 'status', rule: 'enum', message: expect.stringContaining('SCHEDULED or INACTIVE') }],
        },
      });
    },
  );

  test('deleted posts cannot be changed and are listed only with status=DELETED', async () => {
    const { id } = await scene.create(partner, post());
    expect((await partner.call('DELETE', `/api/social-posts/${id}`)).body.response).toEqual({ success: true });
    expect(await scene.read(partner, id)).toMatchObject({ status: 'DELETED' });
    expect((await partner.call('PATCH', `/api/social-posts/${id}`, { title: 'x' })).code).toBe(409);
    expect((await partner.call('DELETE', `/api/social-posts/${id}`)).code).toBe(409);
    expect((await partner.call('GET', '/api/social-posts')).body.response.count).toBe(0);
    expect((await partner.call('GET', '/api/social-posts?status=DELETED')).body.response.count).toBe(1);
  });
});

describe('approval', () => {
  const manager = (locationIds = [location.locationId]) =>
    addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds, features: ['SOCIAL_POST_WRITE'] });

  test('posts of location managers require approval before publication', async () => {
    const author = await manager();
    const { id, status } = await scene.create(author, post());
    expect(status).toBe('APPROVAL_NEEDED');
    expect((await author.call('POST', `/api/social-posts/${id}/approve`)).code).toBe(403);
    const approved = await partner.call('POST', `/api/social-posts/${id}/approve`);
    expect(approved.body.response).toMatchObject({ id, status: 'SCHEDULED', createdBy: author.user.email });
    const again = await partner.call('POST', `/api/social-posts/${id}/approve`);
    expect(again.code).toBe(409);
    expect(again.body.message).toContain('Only posts with status APPROVAL_NEEDED');
  });

  test('a rejected post has a reason and requires approval again after a change', async () => {
    const author = await manager();
    const { id } = await scene.create(author, post());
    expect((await partner.call('POST', `/api/social-posts/${id}/reject`, {})).code).toBe(400);
    const rejected = await partner.call('POST', `/api/social-posts/${id}/reject`, { reason: 'A typo' });
    expect(rejected.body.response).toMatchObject({ status: 'REJECTED', rejectionReason: 'A typo' });
    const title = await partner.call('PATCH', `/api/social-posts/${id}`, { title: 'Bread' });
    expect(title.body.response).toMatchObject({ status: 'REJECTED', rejectionReason: 'A typo' });
    const changed = await author.call('PATCH', `/api/social-posts/${id}`, { description: 'Without a typo' });
    expect(changed.body.response).toMatchObject({ status: 'APPROVAL_NEEDED' });
    expect(changed.body.response.rejectionReason).toBeUndefined();
  });

  test('location managers cannot change published posts', async () => {
    const author = await manager();
    const { id } = await scene.create(partner, post({ publicationDate: null }));
    await scene.runJobs();
    expect(await scene.read(author, id)).toMatchObject({ status: 'ACTIVE' });
    expect((await author.call('PATCH', `/api/social-posts/${id}`, { description: 'Mine' })).code).toBe(403);
  });
});

describe('visibility', () => {
  test('posts of another partner are not found', async () => {
    const { id } = await scene.create(partner, post());
    const other = await scene.api.addPartner();
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['GET', '/publications'],
      ['PATCH', '', { title: 'x' }],
      ['PUT', '', { title: 'x' }],
      ['DELETE', ''],
      ['POST', '/approve'],
      ['POST', '/reject', { reason: 'x' }],
    ];
    for (const [method, path, body] of calls) {
      expect((await other.call(method, `/api/social-posts/${id}${path}`, body)).code, `${method} ${path}`).toBe(404);
    }
    expect((await other.call('GET', '/api/social-posts')).body.response.socialPosts).toEqual([]);
  });

  test('managers see posts for their locations and can change those without other targets', async () => {
    const otherLocation = await scene.addLinkedLocation(partner);
    const own = await scene.create(partner, post());
    const foreign = await scene.create(partner, post({ locationIds: [otherLocation.locationId] }));
    const both = await scene.create(partner, post({ locationIds: [location.locationId, otherLocation.locationId] }));
    const manager = await addUser(scene.api, partner, { role: 'BUSINESS_MANAGER', businessIds: [location.businessId] });
    const listed = (await manager.call('GET', '/api/social-posts')).body.response.socialPosts;
    expect(listed.map(({ id }: { id: number }) => id).sort()).toEqual([own.id, both.id].sort());
    expect((await manager.call('GET', `/api/social-posts/${foreign.id}`)).code).toBe(404);
    const visible = listed.map(({ locationIds }: { locationIds: number[] }) => locationIds);
    expect(visible).toEqual([[location.locationId], [location.locationId]]);
    expect((await manager.call('GET', `/api/social-posts/${both.id}`)).body.response.locationIds).toEqual(visible[0]);
    expect((await manager.call('PATCH', `/api/social-posts/${own.id}`, { title: 'x' })).code).toBe(200);
    expect((await manager.call('PATCH', `/api/social-posts/${both.id}`, { title: 'x' })).code).toBe(403);
    expect((await create(post({ locationIds: [otherLocation.locationId] }), manager)).code).toBe(400);
    expect((await create(post({ businessIds: [otherLocation.businessId], locationIds: [] }), manager)).code).toBe(400);
  });

  test('managers do not see labels for administrators only', async () => {
    const call = (name: string, adminOnly: boolean) => partner.call('POST', '/api/labels', { name, adminOnly });
    const [secret, north] = [await call('At risk', true), await call('North', false)].map(({ body }) => body.response);
    const { id, labels } = await scene.create(partner, post({ labels: [secret.id, north.id] }));
    expect(labels).toHaveLength(2);
    const manager = await addUser(scene.api, partner, { role: 'BUSINESS_MANAGER', businessIds: [location.businessId] });
    expect((await scene.read(manager, id)).labels).toEqual([north]);
    const { body } = await manager.call('GET', '/api/social-posts');
    expect(body.response.socialPosts).toMatchObject([{ id, labels: [north] }]);
  });

  test('reading and writing require features', async () => {
    const reader = await addUser(scene.api, partner, { role: 'ACCOUNT_MANAGER', features: ['SOCIAL_POST_READ'] });
    expect((await reader.call('GET', '/api/social-posts')).code).toBe(200);
    expect((await create(post(), reader)).code).toBe(403);
  });
});

describe('lists', () => {
  test('filters by status, type, directory, location, time and words, latest first', async () => {
    const otherLocation = await scene.addLinkedLocation(partner);
    const bread = await scene.create(partner, post({ title: 'Rye bread', publicationDate: inHours(1) }));
    const cake = await scene.create(
      partner,
      post({
        type: 'EVENT',
        title: 'Cake day',
        dateStart: inHours(30),
        directories: ['FACEBOOK'],
        locationIds: [otherLocation.locationId],
        publicationDate: inHours(20),
      }),
    );
    const found = async (query: string) => {
      const { body } = await partner.call('GET', `/api/social-posts?${query}`);
      return body.response.socialPosts.map(({ id }: { id: number }) => id);
    };
    expect(await found('')).toEqual([cake.id, bread.id]);
    expect(await found('type=EVENT')).toEqual([cake.id]);
    expect(await found('status=SCHEDULED,ACTIVE')).toEqual([cake.id, bread.id]);
    expect(await found('status=ENDED')).toEqual([]);
    expect(await found('directories=GOOGLE')).toEqual([bread.id]);
    expect(await found(`locationIds=${otherLocation.locationId}`)).toEqual([cake.id]);
    expect(await found(`from=${inHours(10)}`)).toEqual([cake.id]);
    expect(await found(`to=${Date.now() + 10 * hour}`)).toEqual([bread.id]);
    expect(await found('query=rye')).toEqual([bread.id]);
    const page = (await partner.call('GET', '/api/social-posts?max=1')).body.response;
    expect(page).toMatchObject({ count: 2, after: cake.id });
    expect(await found(`max=1&after=${page.after}`)).toEqual([bread.id]);
    expect(await found('order=ASC')).toEqual([bread.id, cake.id]);
    expect(await found(`order=ASC&after=${bread.id}`)).toEqual([cake.id]);
  });

  test('labels include their names', async () => {
    const label = (await partner.call('POST', '/api/labels', { name: 'North' })).body.response;
    await addBusiness(partner);
    const created = await scene.create(partner, post({ locationIds: [], labels: [{ id: label.id }] }));
    expect(created.labels).toEqual([label]);
  });
});
