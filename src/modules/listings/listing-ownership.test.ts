import { describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';
import { checkLocationJob } from './listing-work.ts';

let scene: ListingScene;
let partner: TestPartner;

setUpListingScene((opened, added) => {
  scene = opened;
  partner = added;
});

const patch = (who: TestPartner, id: number, body: object) => who.call('PATCH', `/api/listings/${id}`, body);

async function listed(who: TestPartner, type: string, overrides: object = {}) {
  const location = await scene.addLocation(who, [type], overrides);
  await scene.sync(who, location.id);
  return { location, listing: await scene.listing(who, location.id, type) };
}

const linkChanges = (who: TestPartner, id: number) => scene.events(who, 'LISTING_LINK_CHANGE', id);

describe.each(['GOLOCAL', 'BING'])('a directory listing of %s', (type) => {
  test.each(['another partner', 'the same partner'])('cannot be linked to a second listing of %s', async (whose) => {
    const other = whose === 'another partner' ? await scene.api.addPartner() : partner;
    const owner = await listed(partner, type);
    const before = await scene.control.listing(type, owner.listing.listingId);
    const { listing } = await listed(other, type);
    for (const change of [{ listingId: owner.listing.listingId }, { listingUrl: owner.listing.listingUrl }]) {
      const { code, body } = await patch(other, listing.id, change);
      expect([code, body.status]).toEqual([409, 'CONFLICT']);
      expect(body.message).toContain('is already linked to another listing');
      expect(body.errors).toMatchObject([{ field: Object.keys(change)[0], rule: 'unique' }]);
      expect(body.message).not.toContain(partner.partner.identifier);
    }
    await other.call('POST', `/api/listings/${listing.id}/submit`);
    await scene.runJobs();
    expect(await linkChanges(other, listing.id)).toEqual([]);
    expect(await scene.control.listing(type, owner.listing.listingId)).toEqual(before);
  });
});

test('unlinks a listing that is not ours when its location is closed', async () => {
  const { id, name, street, streetNo, phone, website } = await scene.addLocation(partner, ['BING']);
  const page = await scene.addDirectoryListing(partner, id, 'BING', { claim: 'CLAIMED_BY_OTHERS' });
  await scene.sync(partner, id);
  const other = await scene.api.addPartner();
  const twin = await listed(other, 'BING', { name, street, streetNo, phone, website });
  expect(twin.listing).toMatchObject({ claimStatus: 'CLAIMED_BY_ANOTHER_US' });
  await partner.call('POST', `/api/locations/${id}/status`, { status: 'CLOSED' });
  await scene.runJobs();
  await scene.sync(other, twin.location.id);
  expect(await scene.listing(other, twin.location.id, 'BING')).toMatchObject({
    listingId: page,
    claimStatus: 'CLAIMED_BY_OTHERS',
  });
});

describe('a listing of a deleted location', () => {
  const remove = async (id: number) => {
    await scene.query(`update locations set status = 'INACTIVE', end_date = '2026-01-01' where id = $1`, [id]);
    expect((await partner.call('DELETE', `/api/locations/${id}`)).code).toBe(200);
    await scene.runJobs();
  };

  /** Creates the location again and syncs it. */
  const recreate = async ({ name, street, streetNo, phone, website }: Record<string, string>) =>
    (await listed(partner, 'BING', { name, street, streetNo, phone, website })).listing;

  test('is free for another location if it was a duplicate', async () => {
    const location = await scene.addLocation(partner, ['BING']);
    await scene.addDirectoryListing(partner, location.id, 'BING', { claim: 'CLAIMED_BY_US' });
    const duplicate = await scene.addDirectoryListing(partner, location.id, 'BING', { claim: 'CLAIMED_BY_OTHERS' });
    await scene.sync(partner, location.id);
    const { id } = await scene.listing(partner, location.id, 'BING');
    await remove(location.id);
    const { rows } = await scene.query('select flow_status from listings where id = $1', [id]);
    expect(rows).toEqual([{ flow_status: 'REMOVED' }]);
    expect(await recreate(location)).toMatchObject({ listingId: duplicate, claimStatus: 'CLAIMED_BY_OTHERS' });
  });

  test('is free for another location if a user deactivated it', async () => {
    const location = await scene.addLocation(partner, ['BING']);
    const page = await scene.addDirectoryListing(partner, location.id, 'BING', { claim: 'CLAIMED_BY_OTHERS' });
    await scene.sync(partner, location.id);
    const { id } = await scene.listing(partner, location.id, 'BING');
    await patch(partner, id, { flowStatus: 'MANUALLY_DEACTIVATED' });
    await remove(location.id);
    expect(await recreate(location)).toMatchObject({ listingId: page });
  });

  test.each(['DELETED', 'INACTIVE'])('is removed if the plan no longer includes the directory: %s', async (status) => {
    const location = await scene.addLocation(partner, ['BING', 'FOURSQUARE']);
    await scene.sync(partner, location.id);
    await scene.query(
      `update product_plans set directory_types = '{FOURSQUARE}'
       where id = (select product_plan_id from businesses where id = $1)`,
      [location.businessId],
    );
    await scene.sync(partner, location.id);
    expect(await scene.listing(partner, location.id, 'BING')).toMatchObject({ flowStatus: 'INACTIVE' });
    expect(await scene.directoryListings(partner, location.id, 'BING')).toHaveLength(1);
    if (status === 'DELETED') await remove(location.id);
    else {
      await scene.query(`update locations set status = 'INACTIVE' where id = $1`, [location.id]);
      await checkLocationJob.enqueue(scene.api.database.pool, {
        locationId: location.id,
        partnerId: partner.partner.id,
      });
      await scene.runJobs();
    }
    expect(await scene.directoryListings(partner, location.id, 'BING')).toEqual([]);
    const { rows } = await scene.query(
      `select external_id, flow_status from listings where location_id = $1 and directory_type = 'BING'`,
      [location.id],
    );
    expect(rows).toEqual([{ external_id: null, flow_status: status === 'DELETED' ? 'REMOVED' : 'INACTIVE' }]);
  });

  test('of a directory without online listings is unlinked after its removal', async () => {
    const { location, listing } = await listed(partner, 'TOMTOM');
    expect(listing.listingId).toEqual(expect.any(String));
    await remove(location.id);
    const { rows } = await scene.query('select external_id, flow_status from listings where id = $1', [listing.id]);
    expect(rows).toEqual([{ external_id: null, flow_status: 'REMOVED' }]);
  });
});

describe('a removal', () => {
  test('is not sent without the connected account, and continues when it is connected again', async () => {
    const { location, listing } = await listed(partner, 'GOOGLE');
    const act = async (action: string) => {
      await partner.call('POST', `/api/listings/${listing.id}/${action}`);
      await scene.runJobs();
    };
    await act('connect');
    expect(await scene.listing(partner, location.id, 'GOOGLE')).toMatchObject({ claimStatus: 'CLAIMED_BY_US' });
    await act('disconnect');
    await partner.call('POST', `/api/locations/${location.id}/status`, { status: 'CLOSED' });
    await scene.runJobs();
    expect(await scene.listing(partner, location.id, 'GOOGLE')).toMatchObject({ flowStatus: 'WAITING_USER_ACTION' });
    expect(await scene.directoryListings(partner, location.id, 'GOOGLE')).toHaveLength(1);
    await act('connect');
    expect(await scene.directoryListings(partner, location.id, 'GOOGLE')).toEqual([]);
    const { listingId, flowStatus } = await scene.listing(partner, location.id, 'GOOGLE');
    expect([listingId, flowStatus]).toEqual([undefined, 'REMOVED']);
  });

  test('ends on a directory outside the plan', async () => {
    const { location, listing } = await listed(partner, 'BING');
    await scene.query(
      `update product_plans set directory_types = '{FOURSQUARE}'
       where id = (select product_plan_id from businesses where id = $1)`,
      [location.businessId],
    );
    await patch(partner, listing.id, { flowStatus: 'REMOVAL_NEEDED' });
    await scene.runJobs();
    expect(await scene.directoryListings(partner, location.id, 'BING')).toEqual([]);
    const { listingId, flowStatus } = await scene.listing(partner, location.id, 'BING');
    expect([listingId, flowStatus]).toEqual([undefined, 'REMOVED']);
  });

  test('of a closed location does not depend on autoSync', async () => {
    const { location } = await listed(partner, 'BING', { autoSync: false });
    await partner.call('POST', `/api/listings/${(await scene.listing(partner, location.id, 'BING')).id}/submit`);
    await scene.runJobs();
    expect(await scene.directoryListings(partner, location.id, 'BING')).toHaveLength(1);
    await partner.call('POST', `/api/locations/${location.id}/status`, { status: 'CLOSED' });
    await scene.runJobs();
    expect(await scene.directoryListings(partner, location.id, 'BING')).toEqual([]);
    expect(await scene.listing(partner, location.id, 'BING')).toMatchObject({ flowStatus: 'REMOVED' });
  });
});

test('does not link a listing again that a user unlinked', async () => {
  const { id } = await scene.addLocation(partner, ['BING']);
  const page = await scene.addDirectoryListing(partner, id, 'BING', { claim: 'CLAIMED_BY_OTHERS' });
  await scene.sync(partner, id);
  const listing = await scene.listing(partner, id, 'BING');
  expect(listing).toMatchObject({ listingId: page });
  await patch(partner, listing.id, { listingId: null, listingUrl: null });
  await scene.runJobs();
  await scene.sync(partner, id);
  const unlinked = await scene.listing(partner, id, 'BING');
  expect([unlinked.listingId, unlinked.flowStatus]).toEqual([undefined, 'WAITING_USER_ACTION']);
  await patch(partner, listing.id, { listingId: page });
  await scene.sync(partner, id);
  expect(await scene.listing(partner, id, 'BING')).toMatchObject({ listingId: page });
  await patch(partner, listing.id, { listingId: null });
  await patch(partner, listing.id, { flowStatus: 'SUBMISSION_NEEDED' });
  await scene.runJobs();
  const created = await scene.listing(partner, id, 'BING');
  expect(created).toMatchObject({ claimStatus: 'CLAIMED_BY_US', syncStatus: 'IN_SYNC' });
  expect(created.listingId).not.toBe(page);
});

test('reports the first link of a listing if a user sets it', async () => {
  const { location } = await listed(partner, 'BING');
  const { name, street, streetNo, phone, website } = location;
  const other = await scene.api.addPartner();
  const twin = await listed(other, 'BING', { name, street, streetNo, phone, website });
  expect(twin.listing).not.toHaveProperty('listingId');
  const page = await scene.addDirectoryListing(other, twin.location.id, 'BING', { claim: 'CLAIMED_BY_OTHERS' });
  expect((await patch(other, twin.listing.id, { listingId: page })).code).toBe(200);
  expect(await linkChanges(other, twin.listing.id)).toMatchObject([
    { fromListingId: '', fromListingUrl: '', toListingId: page, toListingUrl: `https://bing.example/places/${page}` },
  ]);
});

test('enforces one link per directory listing in the database', async () => {
  const first = await listed(partner, 'GOLOCAL');
  const second = await listed(await scene.api.addPartner(), 'GOLOCAL');
  await expect(
    scene.query('update listings set external_id = $2 where id = $1', [second.listing.id, first.listing.listingId]),
  ).rejects.toThrow('listings_page');
});

describe('a directory without claims', () => {
  test('updates a listing that we created', async () => {
    const { location, listing } = await listed(partner, 'GOLOCAL');
    expect(listing).toMatchObject({ claimStatus: 'CLAIMED_BY_US', syncStatus: 'IN_SYNC' });
    await partner.call('PATCH', `/api/locations/${location.id}`, { phone: '+49 221 9524701' });
    await scene.runJobs();
    expect(await scene.listing(partner, location.id, 'GOLOCAL')).toMatchObject({ syncStatus: 'IN_SYNC' });
  });

  test.each(['GOLOCAL', 'NOKIA_HERE', 'WAZE'])(
    'updates a listing of %s only after the directory assigns it to us',
    async (type) => {
      const { id } = await scene.addLocation(partner, [type]);
      const page = await scene.addDirectoryListing(partner, id, type, { phone: '+49 221 9524702' });
      await scene.sync(partner, id);
      const listing = await scene.listing(partner, id, type);
      expect(listing).toMatchObject({
        listingId: page,
        claimStatus: 'NOT_CLAIMABLE',
        syncStatus: 'NOT_IN_SYNC',
        flowStatus: 'WAITING_USER_ACTION',
      });
      await partner.call('POST', `/api/listings/${listing.id}/submit`);
      await scene.runJobs();
      const updates = await scene.events(partner, 'LISTING_UPDATE', listing.id);
      expect(updates.map(({ updateResult, updateStatus }) => [updateResult, updateStatus])).toEqual([
        ['UNDEFINED', 'INVALID_CLAIM_STATUS'],
        ['UNDEFINED', 'INVALID_CLAIM_STATUS'],
      ]);
      expect(await scene.control.listing(type, page)).toMatchObject({ profile: { phone: '+49 221 9524702' } });
      await scene.control.changeListing(type, page, { claim: 'CLAIMED_BY_US' });
      await scene.sync(partner, id);
      expect((await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1)).toMatchObject({
        updateResult: 'SUCCESS',
      });
    },
  );

  test('does not remove a listing that is not ours', async () => {
    const { id } = await scene.addLocation(partner, ['GOLOCAL']);
    const page = await scene.addDirectoryListing(partner, id, 'GOLOCAL');
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'GOLOCAL');
    await patch(partner, listing.id, { flowStatus: 'REMOVAL_NEEDED' });
    await scene.runJobs();
    expect(await scene.control.listing('GOLOCAL', page)).toMatchObject({ id: page });
  });

  test('treats a submission to a directory without online listings as ours', async () => {
    const { location } = await listed(partner, 'TOMTOM', { lat: 50.9, lng: 6.9 });
    await scene.sync(partner, location.id);
    expect(await scene.listing(partner, location.id, 'TOMTOM')).toMatchObject({
      claimStatus: 'CLAIMED_BY_US',
      syncStatus: 'NO_ONLINE_LISTING',
    });
  });
});

describe('a link set by a user', () => {
  const spellings: [string, (page: string) => object][] = [
    ['listingId', (page) => ({ listingId: page })],
    ['listingUrl', (page) => ({ listingUrl: `http://bing.example/places/${page}/?utm_source=x#top` })],
    ['listingUrl in upper case', (page) => ({ listingUrl: `HTTPS://BING.EXAMPLE/places/${page}` })],
    ['both', (page) => ({ listingId: page, listingUrl: `https://bing.example/places/${page}` })],
  ];

  test.each(spellings)('(%s) is one change with id and URL, kept by the next check', async (_, link) => {
    const { location, listing } = await listed(partner, 'BING');
    const page = await scene.addDirectoryListing(partner, location.id, 'BING', { phone: '+49 221 9524703' });
    const linked = { listingId: page, listingUrl: `https://bing.example/places/${page}` };
    const response = await patch(partner, listing.id, link(page));
    expect(response.body.response).toMatchObject(linked);
    await scene.runJobs();
    await scene.sync(partner, location.id);
    expect(await scene.listing(partner, location.id, 'BING')).toMatchObject(linked);
    expect(await linkChanges(partner, listing.id)).toMatchObject([
      {
        fromListingId: listing.listingId,
        fromListingUrl: listing.listingUrl,
        toListingId: page,
        toListingUrl: linked.listingUrl,
      },
    ]);
  });

  test('is checked before anything is submitted', async () => {
    const { location, listing } = await listed(partner, 'BING');
    const page = await scene.addDirectoryListing(partner, location.id, 'BING', {
      phone: '+49 221 9524704',
      claim: 'CLAIMED_BY_OTHERS',
    });
    await patch(partner, listing.id, { listingId: page });
    await partner.call('POST', `/api/listings/${listing.id}/submit`);
    await scene.runJobs();
    expect((await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1)).toMatchObject({
      updateResult: 'UNDEFINED',
      updateStatus: 'INVALID_CLAIM_STATUS',
    });
  });

  test('must exist on the directory', async () => {
    const { listing } = await listed(partner, 'BING');
    const wrong: [object, string][] = [
      [{ listingId: 'no-such-page' }, 'listingId'],
      [{ listingUrl: 'https://bing.example/places/no-such-page' }, 'listingUrl'],
      [{ listingUrl: 'https://bing.example/help' }, 'listingUrl'],
      [{ listingUrl: 'https://elsewhere.example/places/x' }, 'listingUrl'],
      [{ listingId: listing.listingId, listingUrl: 'https://elsewhere.example/' }, 'listingUrl'],
      [{ listingId: listing.listingId, listingUrl: null }, 'listingUrl'],
    ];
    for (const [body, field] of wrong) {
      const response = await patch(partner, listing.id, body);
      expect([response.code, response.body.errors?.[0]?.field], JSON.stringify(body)).toEqual([400, field]);
    }
    expect(await linkChanges(partner, listing.id)).toEqual([]);
  });

  test('is removed by null, and unchanged when written back', async () => {
    const { listing } = await listed(partner, 'BING');
    const { listingId, listingUrl } = listing;
    expect((await patch(partner, listing.id, { listingId, listingUrl })).code).toBe(200);
    expect(await linkChanges(partner, listing.id)).toEqual([]);
    expect((await patch(partner, listing.id, { listingUrl: null })).body.response.listingId).toBeUndefined();
    expect(await linkChanges(partner, listing.id)).toMatchObject([{ fromListingId: listingId, toListingId: '' }]);
  });

  test('returns 503 with Retry-After while the directory is down', async () => {
    const { location, listing } = await listed(partner, 'FOURSQUARE');
    const page = await scene.addDirectoryListing(partner, location.id, 'FOURSQUARE');
    await scene.control.simulateOutage('FOURSQUARE');
    try {
      const response = await patch(partner, listing.id, { listingId: page });
      expect([response.code, response.body.status]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(response.headers.get('retry-after')).not.toBeNull();
    } finally {
      await scene.control.endFailure('FOURSQUARE');
    }
  });
});
