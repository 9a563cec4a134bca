import { describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';
import { addUser } from '../../../test/support/users.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
type Resource = any;

let scene: ListingScene;
let partner: TestPartner;
let location: Resource;
let listing: Resource;

setUpListingScene(async (opened, added) => {
  scene = opened;
  partner = added;
  location = await scene.addLocation(partner, ['BING', 'FOURSQUARE']);
  await scene.sync(partner, location.id);
  listing = await scene.listing(partner, location.id, 'BING');
});

const patch = (body: object, id = listing.id) => partner.call('PATCH', `/api/listings/${id}`, body);
const list = async (query: string) => (await partner.call('GET', `/api/listings?${query}`)).body.response;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const again = () => scene.listing(partner, location.id, 'BING');

describe('a status set by a user', () => {
  test('is reported with the user, and sticky statuses are kept by checks', async () => {
    const { body } = await patch({ flowStatus: 'MANUALLY_DEACTIVATED' });
    expect(body.response).toMatchObject({ flowStatus: 'MANUALLY_DEACTIVATED', status: 'INACTIVE' });
    expect(await scene.events(partner, 'LISTING_STATUS_CHANGE', listing.id)).toMatchObject([
      {
        directoryType: 'BING',
        claimStatusChanged: false,
        flowStatusChanged: true,
        syncStatusChanged: false,
        fromListingFlowStatus: 'NO_ACTION_NEEDED',
        toListingFlowStatus: 'MANUALLY_DEACTIVATED',
        user: 'PRIVATE_TOKEN',
      },
    ]);
    await partner.call('PATCH', `/api/locations/${location.id}`, { phone: '+49 221 7654321' });
    await scene.runJobs();
    expect(await again()).toMatchObject({ flowStatus: 'MANUALLY_DEACTIVATED', syncStatus: 'NOT_IN_SYNC' });
    expect(await scene.events(partner, 'LISTING_UPDATE', listing.id)).toHaveLength(1);
    await patch({ flowStatus: 'SUBMISSION_NEEDED' });
    await scene.runJobs();
    expect(await again()).toMatchObject({ flowStatus: 'NO_ACTION_NEEDED', syncStatus: 'IN_SYNC' });
  });

  test('is in the audit trail with the comment', async () => {
    await patch({ flowStatus: 'NEEDS_REVIEW', comment: 'The owner called' });
    const { rows } = await scene.query(
      `select details from audit_trail where partner_id = $1 and subject = 'LISTING' order by id desc limit 1`,
      [partner.partner.id],
    );
    expect(rows).toEqual([{ details: { flowStatus: 'NEEDS_REVIEW', comment: 'The owner called' } }]);
  });

  test('NEEDS_REVIEW blocks submissions and is reported', async () => {
    await patch({ flowStatus: 'NEEDS_REVIEW' });
    await partner.call('PATCH', `/api/locations/${location.id}`, { phone: '+49 221 7654321' });
    await scene.runJobs();
    expect((await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1)).toMatchObject({
      updateResult: 'UNDEFINED',
      updateStatus: 'INVALID_FLOW_STATUS',
    });
  });

  test('REMOVAL_NEEDED removes the listing permanently', async () => {
    await patch({ flowStatus: 'REMOVAL_NEEDED' });
    await scene.runJobs();
    await expect(scene.control.listing('BING', listing.listingId)).rejects.toThrow('Bing has no listing');
    expect(await again()).toMatchObject({ flowStatus: 'REMOVED', syncStatus: 'NOT_FOUND' });
    await scene.sync(partner, location.id);
    expect(await again()).toMatchObject({ flowStatus: 'REMOVED', syncStatus: 'NOT_FOUND' });
  });

  test('is corrected by the next check when it follows from the directory', async () => {
    await patch({ claimStatus: 'CLAIMED_BY_OTHERS', syncStatus: 'NOT_FOUND' });
    await scene.runJobs();
    expect(await again()).toMatchObject({ claimStatus: 'CLAIMED_BY_US', syncStatus: 'IN_SYNC' });
  });

  test('records no event when unchanged', async () => {
    expect((await patch({ flowStatus: 'NO_ACTION_NEEDED', claimStatus: 'CLAIMED_BY_US' })).code).toBe(200);
    expect(await scene.events(partner, 'LISTING_STATUS_CHANGE')).toEqual([]);
  });

  test('must be a status that users may set', async () => {
    for (const flowStatus of ['REMOVED', 'REMOVAL_SUBMITTED', 'CANCELLATION_SUBMITTED', 'NOT_SUPPORTED']) {
      const { code, body } = await patch({ flowStatus });
      expect([code, body.errors[0].field]).toEqual([400, 'flowStatus']);
    }
    expect((await patch({ syncStatus: 'FINE' })).code).toBe(400);
    expect((await patch({})).code).toBe(400);
    expect(await again()).toMatchObject({ flowStatus: 'NO_ACTION_NEEDED' });
  });
});

describe('a link changed by a user', () => {
  test('is reported with the comment, kept despite better matches, and checked', async () => {
    const page = await scene.addDirectoryListing(partner, location.id, 'BING', {
      phone: '+492211111122',
      claim: 'CLAIMED_BY_OTHERS',
    });
    await patch({ listingId: page, comment: 'The old one was closed' });
    expect(await scene.events(partner, 'LISTING_LINK_CHANGE', listing.id)).toMatchObject([
      {
        fromListingId: listing.listingId,
        fromListingUrl: listing.listingUrl,
        toListingId: page,
        toListingUrl: `https://bing.example/places/${page}`,
        comment: 'The old one was closed',
      },
    ]);
    await scene.runJobs();
    const linked = await again();
    expect(linked).toMatchObject({ listingId: page, claimStatus: 'CLAIMED_BY_OTHERS', syncStatus: 'NOT_IN_SYNC' });
  });

  test('can be removed', async () => {
    expect((await patch({ listingId: null })).body.response.listingId).toBeUndefined();
    expect((await scene.events(partner, 'LISTING_LINK_CHANGE', listing.id)).at(-1)).toMatchObject({
      toListingId: '',
      toListingUrl: '',
    });
  });

  test('cannot be the link of another location', async () => {
    const other = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, other.id);
    const { listingId } = await scene.listing(partner, other.id, 'BING');
    const { code, body } = await patch({ listingId });
    expect([code, body.status]).toEqual([409, 'CONFLICT']);
    expect(await scene.events(partner, 'LISTING_LINK_CHANGE', listing.id)).toEqual([]);
  });
});

describe('GET /api/listings', () => {
  test('filters by location, business, directory and status', async () => {
    const other = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, other.id, { submit: false });
    const idsOf = async (query: string) =>
      (await list(query)).listings.map(({ locationId, type }: Resource) => [locationId, type]);
    expect((await list('')).count).toBe(3);
    expect(await idsOf(`locationIds=${other.id}`)).toEqual([[other.id, 'BING']]);
    expect(await idsOf(`businessIds=${other.businessId}`)).toEqual([[other.id, 'BING']]);
    expect(await idsOf('directoryType=foursquare')).toEqual([[location.id, 'FOURSQUARE']]);
    expect(await idsOf('type=FOURSQUARE')).toEqual([[location.id, 'FOURSQUARE']]);
    expect(await idsOf('type=FOURSQUARE&directoryType=BING')).toEqual([]);
    expect(await idsOf('syncStatus=NOT_FOUND,TECHNICAL_PROBLEMS')).toEqual([[other.id, 'BING']]);
    expect(await idsOf('flowStatus=SUBMISSION_NEEDED')).toEqual([[other.id, 'BING']]);
    expect(await idsOf('claimStatus=UNKNOWN&locationIds=999999')).toEqual([]);
    expect((await list('connectStatus=NOT_NEEDED')).count).toBe(3);
    expect((await list('connectStatus=CONNECTED,NOT_CONNECTED')).count).toBe(0);
    expect((await partner.call('GET', '/api/listings?syncStatus=FINE')).code).toBe(400);
  });

  test('pages with after', async () => {
    const first = await list('max=1');
    expect(first).toMatchObject({ count: 2, countIsExact: true, after: first.listings[0].id });
    const second = await list(`max=1&after=${first.after}`);
    expect(second.after).toBeUndefined();
    expect(second.listings[0].id).toBeGreaterThan(first.after);
  });

  test('sorts by directory and status in both directions, with pages', async () => {
    const other = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, other.id, { submit: false });
    const byId = (await list('')).listings;
    for (const sort of ['directoryType', 'syncStatus', 'flowStatus'] as const) {
      const key = sort === 'directoryType' ? 'type' : sort;
      const expected = byId.toSorted((a: Resource, b: Resource) => compare(a[key], b[key]) || a.id - b.id);
      for (const [order, wanted] of [
        ['ASC', expected],
        ['DESC', expected.toReversed()],
      ]) {
        const seen: number[] = [];
        for (let after = ''; ; ) {
          const page = await list(`sort=${sort}&order=${order}&max=2${after}`);
          seen.push(...page.listings.map(({ id }: Resource) => id));
          if (page.after === undefined) break;
          after = `&after=${page.after}`;
        }
        expect(seen, `${sort} ${order}`).toEqual(wanted.map(({ id }: Resource) => id));
      }
    }
    expect((await partner.call('GET', '/api/listings?sort=url')).code).toBe(400);
  });

  test('is limited to the reach of the user', async () => {
    const other = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, other.id, { submit: false });
    const wanted = { role: 'LOCATION_MANAGER', locationIds: [other.id] } as const;
    const user = await addUser(scene.api, partner, { ...wanted, locationIds: [...wanted.locationIds] });
    const { body } = await user.call('GET', '/api/listings');
    expect(body.response.listings.map(({ locationId }: Resource) => locationId)).toEqual([other.id]);
    const business = await addUser(scene.api, partner, {
      role: 'BUSINESS_MANAGER',
      businessIds: [location.businessId],
    });
    expect((await business.call('GET', '/api/listings')).body.response.count).toBe(2);
    expect((await user.call('GET', `/api/listings/${listing.id}`)).code).toBe(404);
    expect((await user.call('GET', `/api/locations/${location.id}/listings`)).code).toBe(404);
    expect((await user.call('POST', `/api/locations/${location.id}/sync`)).code).toBe(404);
  });
});

test('rolls back a change whose event cannot be recorded', async () => {
  const { rows } = await scene.query('select last_checked from listings where id = $1', [listing.id]);
  await scene.query(`
    create function refuse_events() returns trigger language plpgsql as
      $$begin if new.type like 'LISTING_%' then raise 'not this time'; end if; return new; end$$;
    create trigger refuse_events before insert on events for each row execute function refuse_events()`);
  try {
    expect((await patch({ flowStatus: 'NEEDS_REVIEW' })).code).toBe(500);
    expect((await patch({ listingId: null })).code).toBe(500);
    await partner.call('POST', `/api/locations/${location.id}/sync`);
    await partner.call('POST', `/api/listings/${listing.id}/submit`);
    await scene.runJobs();
    expect(await again()).toEqual(listing);
    expect((await scene.query('select last_checked from listings where id = $1', [listing.id])).rows).toEqual(rows);
    expect((await partner.call('GET', `/api/listings/${listing.id}/submissions`)).body.response.count).toBe(1);
  } finally {
    await scene.query('drop trigger refuse_events on events; drop function refuse_events');
  }
  const before = (await scene.events(partner, 'LISTING_SYNC_CHECK', listing.id)).length;
  await scene.runJobs({ early: true });
  expect((await scene.events(partner, 'LISTING_SYNC_CHECK', listing.id)).length).toBeGreaterThan(before);
});

test('returns 404 for listings and locations of another partner', async () => {
  const other = await scene.api.addPartner();
  const paths: [string, string, object?][] = [
    ['GET', `/api/listings/${listing.id}`],
    ['PATCH', `/api/listings/${listing.id}`, { flowStatus: 'INACTIVE' }],
    ['POST', `/api/listings/${listing.id}/submit`],
    ['POST', `/api/listings/${listing.id}/connect`],
    ['POST', `/api/listings/${listing.id}/disconnect`],
    ['GET', `/api/listings/${listing.id}/submissions`],
    ['GET', `/api/locations/${location.id}/listings`],
    ['POST', `/api/locations/${location.id}/sync`],
  ];
  for (const [method, path, body] of paths)
    expect([path, (await other.call(method, path, body)).code]).toEqual([path, 404]);
  const { body } = await other.call('POST', '/api/locations/sync', { locationIds: [location.id] });
  expect(body).toMatchObject({
    status: 'NOT_FOUND',
    response: { failed: [{ id: location.id, status: 'NOT_FOUND' }] },
  });
});

test('rejects connect for a directory without accounts', async () => {
  expect((await partner.call('POST', `/api/listings/${listing.id}/connect`)).code).toBe(409);
});

test('rejects changes of a user with read access', async () => {
  const reader = await addUser(scene.api, partner, { role: 'ACCOUNT_MANAGER', features: ['LOCATION_READ'] });
  expect((await reader.call('GET', `/api/listings/${listing.id}`)).code).toBe(200);
  expect((await reader.call('PATCH', `/api/listings/${listing.id}`, { flowStatus: 'INACTIVE' })).code).toBe(403);
  expect((await reader.call('POST', `/api/locations/${location.id}/sync`)).code).toBe(403);
});

test('counts visible listings by directory and status', async () => {
  const second = await scene.addLocation(partner, ['BING']);
  await scene.sync(partner, second.id);
  const { id } = await scene.listing(partner, second.id, 'BING');
  await patch({ syncStatus: 'NOT_FOUND', flowStatus: 'NEEDS_REVIEW' }, id);
  const standing = async (by: Pick<TestPartner, 'call'>, query = '') => {
    const { body } = await by.call('GET', `/api/listings/by-directory${query}`);
    return body.response.directories;
  };
  const nothing = { inSync: 0, notInSync: 0, notFound: 0, technicalProblems: 0, actionRequired: 0 };
  const bing = { directoryType: 'BING', ...nothing };
  const foursquare = { directoryType: 'FOURSQUARE', ...nothing, listings: 1, inSync: 1 };
  expect(await standing(partner)).toEqual([
    { ...bing, listings: 2, inSync: 1, notFound: 1, actionRequired: 1 },
    foursquare,
  ]);
  expect(await standing(partner, `?locationIds=${location.id}`)).toEqual([
    { ...bing, listings: 1, inSync: 1 },
    foursquare,
  ]);
  const manager = await addUser(scene.api, partner, { role: 'LOCATION_MANAGER', locationIds: [second.id] });
  expect(await standing(manager)).toEqual([{ ...bing, listings: 1, notFound: 1, actionRequired: 1 }]);
  expect(await standing(await scene.api.addPartner())).toEqual([]);
  const listed = async () => {
    const { body } = await partner.call('GET', '/api/listings');
    return body.response.listings.map(({ locationId }: { locationId: number }) => locationId);
  };
  await scene.query(`update listings set flow_status = 'NOT_SUPPORTED' where id = $1`, [id]);
  expect(await standing(partner)).toEqual([{ ...bing, listings: 2, inSync: 1 }, foursquare]);
  const others = [{ ...bing, listings: 1, inSync: 1 }, foursquare];
  for (const flow of ['REMOVED', 'INACTIVE']) {
    await scene.query('update listings set flow_status = $2 where id = $1', [id, flow]);
    expect(await standing(partner)).toEqual(others);
  }
  expect(await listed()).toContain(second.id);
  await scene.query(`update listings set flow_status = 'NEEDS_REVIEW' where id = $1`, [id]);
  await scene.query(`update locations set status = 'DELETED' where id = $1`, [second.id]);
  expect(await standing(partner)).toEqual(others);
  expect(await listed()).toEqual([location.id, location.id]);
});
