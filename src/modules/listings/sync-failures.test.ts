import { beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';
import { checkListing } from './check-listing.ts';

let scene: ListingScene;
let partner: TestPartner;

setUpListingScene((opened, added) => {
  scene = opened;
  partner = added;
});

/** The plan then includes only FOURSQUARE. */
const leavePlan = (businessId: number) =>
  scene.query(
    `update product_plans set directory_types = '{FOURSQUARE}'
     where id = (select product_plan_id from businesses where id = $1)`,
    [businessId],
  );

const readLocation = async (id: number) => (await partner.call('GET', `/api/locations/${id}`)).body.response;

describe('a directory that is down', () => {
  test.each(['simulateOutage', 'simulateGarbage'] as const)(
    '(%s) is TECHNICAL_PROBLEMS and does not affect others',
    async (how) => {
      const { id } = await scene.addLocation(partner, ['BING', 'FOURSQUARE']);
      await scene.control[how]('FOURSQUARE');
      try {
        await scene.sync(partner, id);
        expect(await scene.listing(partner, id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
        const down = await scene.listing(partner, id, 'FOURSQUARE');
        expect(down).toMatchObject({ syncStatus: 'TECHNICAL_PROBLEMS', nextTry: expect.any(String) });
        expect(await scene.events(partner, 'LISTING_SYNC_CHECK', down.id)).toMatchObject([
          { fromListingSyncStatus: 'NOT_FOUND', toListingSyncStatus: 'TECHNICAL_PROBLEMS', syncStatusChanged: true },
        ]);
        expect(await scene.events(partner, 'LISTING_UPDATE', down.id)).toMatchObject([
          { updateResult: 'UNDEFINED', updateStatus: 'INVALID_SYNC_STATUS' },
        ]);
      } finally {
        await scene.control.endFailure('FOURSQUARE');
      }
      // The circuit breaker of the connector allows the next call after a short time.
      await expect
        .poll(
          async () => {
            await scene.runJobs({ early: true });
            return (await scene.listing(partner, id, 'FOURSQUARE')).syncStatus;
          },
          { timeout: 10_000 },
        )
        .toBe('IN_SYNC');
      expect((await scene.listing(partner, id, 'FOURSQUARE')).nextTry).toBeUndefined();
    },
  );

  test('keeps the comparison of a listing that was in sync', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    await scene.control.simulateOutage('BING');
    try {
      await scene.sync(partner, id);
      const listing = await scene.listing(partner, id, 'BING');
      expect(listing).toMatchObject({ syncStatus: 'TECHNICAL_PROBLEMS', claimStatus: 'CLAIMED_BY_US' });
      expect(listing.fields).not.toEqual([]);
      expect(await scene.events(partner, 'LISTING_LINK_CHANGE', listing.id)).toEqual([]);
    } finally {
      await scene.control.endFailure('BING');
    }
  });
});

describe('a linked listing that a check does not find', () => {
  const withSearch = (search: () => Promise<unknown>) => {
    const { context } = scene;
    const connector: typeof context.directories.connector = (...call) =>
      Object.assign(context.directories.connector(...call), { search, read: async () => undefined });
    return { ...context, directories: { ...context.directories, connector } };
  };
  const withoutPages = () => withSearch(async () => []);
  const submit = (listingId: number) => partner.call('POST', `/api/listings/${listingId}/submit`);
  let id: number;
  let businessId: number;
  let listing: { id: number; listingId: string };
  const current = () => scene.listing(partner, id, 'BING');
  beforeEach(async () => {
    ({ id, businessId } = await scene.addLocation(partner, ['BING']));
    await scene.sync(partner, id);
    listing = await current();
  });

  test('keeps its link and is not submitted again if the next check finds it', async () => {
    await checkListing(withoutPages(), listing.id);
    await submit(listing.id);
    // A second check at once confirms nothing.
    await checkListing(withoutPages(), listing.id, { requested: true, submit: true });
    expect(await current()).toMatchObject({
      listingId: listing.listingId,
      claimStatus: 'CLAIMED_BY_US',
      flowStatus: 'NO_ACTION_NEEDED',
      syncStatus: 'NOT_FOUND',
      nextTry: expect.any(String),
    });
    await scene.runJobs();
    expect(await scene.updateResults(partner, listing.id)).toEqual(['SUCCESS']);
    await scene.query('update listings set not_before = now() where id = $1', [listing.id]);
    await scene.runJobs({ early: true });
    expect(await current()).toMatchObject({ listingId: listing.listingId, syncStatus: 'IN_SYNC' });
    // The requested submission.
    expect(await scene.updateResults(partner, listing.id)).toEqual(['SUCCESS', 'SUCCESS']);
    expect(await scene.directoryListings(partner, id, 'BING')).toHaveLength(1);
    expect(await scene.events(partner, 'LISTING_LINK_CHANGE', listing.id)).toEqual([]);
  });

  test('is not confirmed as lost earlier because of a rate limit', async () => {
    await checkListing(withoutPages(), listing.id);
    const { nextTry } = await current();
    const limited = withSearch(async () => ({ fault: 'limited', retryAfterSeconds: 1, detail: 'Too many requests' }));
    expect(await checkListing(limited, listing.id, { requested: true })).toBe('postponed');
    expect((await current()).nextTry).toBe(nextTry);
  });

  test('reports each requested submission when no check can follow', async () => {
    await checkListing(withoutPages(), listing.id);
    await leavePlan(businessId);
    await scene.sync(partner, id);
    const before = (await scene.updateResults(partner, listing.id)).length;
    await submit(listing.id);
    await scene.runJobs();
    expect((await scene.updateResults(partner, listing.id)).slice(before)).toEqual(['UNDEFINED']);
  });

  test('is submitted again when a check two minutes later confirms the loss', async () => {
    await scene.control.removeListing('BING', listing.listingId);
    await checkListing(scene.context, listing.id);
    await scene.runJobs();
    expect(await current()).toMatchObject({ listingId: listing.listingId, syncStatus: 'NOT_FOUND' });
    const { rows } = await scene.query(
      `select run_at < now() + interval '3 minutes' as soon from graphile_worker.jobs where key = $1`,
      [`listings.check-${listing.id}`],
    );
    expect(rows).toEqual([{ soon: true }]);
    await scene.query('update listings set not_before = now() where id = $1', [listing.id]);
    await scene.runJobs({ early: true });
    const [created] = await scene.directoryListings(partner, id, 'BING');
    expect(created?.id).not.toBe(listing.listingId);
    expect(await current()).toMatchObject({ listingId: created?.id, syncStatus: 'IN_SYNC' });
    expect(await scene.events(partner, 'LISTING_LINK_CHANGE', listing.id)).toMatchObject([
      { fromListingId: listing.listingId, toListingId: '', comment: 'No longer on the directory' },
      { fromListingId: '', toListingId: created?.id },
    ]);
  });
});

test('checks a new link once during an outage, and submits it afterwards', async () => {
  const { id } = await scene.addLocation(partner, ['BING']);
  await scene.sync(partner, id);
  const { id: listingId } = await scene.listing(partner, id, 'BING');
  const page = await scene.addDirectoryListing(partner, id, 'BING', { claim: 'CLAIMED_BY_US', phone: '+492219999988' });
  const checks = async () => (await scene.events(partner, 'LISTING_SYNC_CHECK', listingId)).length;
  const before = await checks();
  const change = { listingId: page, flowStatus: 'SUBMISSION_NEEDED' };
  expect((await partner.call('PATCH', `/api/listings/${listingId}`, change)).code).toBe(200);
  await scene.control.simulateOutage('BING');
  try {
    await scene.runJobs();
    expect(await checks()).toBe(before + 1);
  } finally {
    await scene.control.endFailure('BING');
  }
  await expect
    .poll(
      async () => {
        await scene.runJobs({ early: true });
        return scene.listing(partner, id, 'BING');
      },
      { timeout: 10_000 },
    )
    .toMatchObject({ listingId: page, syncStatus: 'IN_SYNC' });
});

test('postpones a check during a rate limit without an event', async () => {
  const { id } = await scene.addLocation(partner, ['GOLOCAL']);
  await scene.control.setLimit('GOLOCAL', { requests: 1, perSeconds: 3600 });
  try {
    await scene.control.listings({ directory: 'GOLOCAL' });
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'GOLOCAL');
    const updates = await scene.events(partner, 'LISTING_UPDATE', listing.id);
    expect(updates).toMatchObject([{ updateResult: 'UNDEFINED', updateStatus: 'LIMIT_REACHED' }]);
    const checks = (await scene.events(partner, 'LISTING_SYNC_CHECK', listing.id)).length;
    expect(listing.nextTry).toEqual(expect.any(String));
    await scene.sync(partner, id);
    expect(await scene.events(partner, 'LISTING_SYNC_CHECK', listing.id)).toHaveLength(checks);
    await partner.call('POST', `/api/listings/${listing.id}/submit`);
    await scene.runJobs();
    expect((await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1)).toMatchObject({
      updateResult: 'UNDEFINED',
      updateStatus: 'DELAYED',
    });
  } finally {
    await scene.control.setLimit('GOLOCAL', null);
  }
});

test('scheduled checks keep the time of a rate limit', async () => {
  const { id } = await scene.addLocation(partner, ['BING']);
  await scene.sync(partner, id);
  const { id: listingId } = await scene.listing(partner, id, 'BING');
  await scene.query(`update listings set not_before = now() + interval '10 minutes' where id = $1`, [listingId]);
  const { nextTry } = await scene.listing(partner, id, 'BING');
  await scene.query(`select graphile_worker.add_job('listings.check-location', $1)`, [{ locationId: id }]);
  await scene.runJobs();
  expect((await scene.listing(partner, id, 'BING')).nextTry).toBe(nextTry);
  const { rows } = await scene.query('select run_at from graphile_worker.jobs where key = $1', [
    `listings.check-${listingId}`,
  ]);
  expect(rows).toEqual([{ run_at: new Date(nextTry) }]);
});

test('a sync that only compares does not replace the recheck that submits a change', async () => {
  const { id } = await scene.addLocation(partner, ['BING']);
  await scene.sync(partner, id);
  const phone = '+492219524799';
  await scene.control.simulateOutage('BING');
  try {
    await partner.call('PATCH', `/api/locations/${id}`, { phone });
    await scene.runJobs();
    const compare = { locationId: id, partnerId: partner.partner.id, submit: false };
    await scene.query(`select graphile_worker.add_job('listings.check-location', $1)`, [compare]);
    await scene.runJobs();
  } finally {
    await scene.control.endFailure('BING');
  }
  const { listingId } = await scene.listing(partner, id, 'BING');
  await expect
    .poll(
      async () => {
        await scene.runJobs({ early: true });
        return (await scene.control.listing('BING', listingId)).profile.phone;
      },
      { timeout: 10_000 },
    )
    .toBe(phone);
});

test('requires a connected account where the directory uses accounts', async () => {
  const { id } = await scene.addLocation(partner, ['GOOGLE']);
  await scene.sync(partner, id);
  const { id: listingId, ...waiting } = await scene.listing(partner, id, 'GOOGLE');
  expect(waiting).toMatchObject({ connectStatus: 'NOT_CONNECTED', flowStatus: 'WAITING_USER_ACTION' });
  const connected = await partner.call('POST', `/api/listings/${listingId}/connect`);
  expect(connected.body.response).toMatchObject({ connectStatus: 'CONNECTED' });
  await scene.runJobs();
  expect(await scene.listing(partner, id, 'GOOGLE')).toMatchObject({
    syncStatus: 'IN_SYNC',
    claimStatus: 'CLAIMED_BY_US',
  });
  const checks = await scene.events(partner, 'LISTING_SYNC_CHECK', listingId);
  expect(checks.at(-1)).toMatchObject({ googleStatusChanged: true });
  await partner.call('POST', `/api/listings/${listingId}/disconnect`);
  await scene.runJobs();
  expect(await scene.listing(partner, id, 'GOOGLE')).toMatchObject({ flowStatus: 'WAITING_USER_ACTION' });
});

test('reports a directory outside the plan once and stops checking it', async () => {
  const { id, businessId } = await scene.addLocation(partner, ['BING', 'FOURSQUARE']);
  await scene.sync(partner, id);
  await leavePlan(businessId);
  await scene.sync(partner, id);
  const { id: listingId, ...bing } = await scene.listing(partner, id, 'BING');
  expect(bing).toMatchObject({ flowStatus: 'INACTIVE', status: 'INACTIVE' });
  expect(await readLocation(id)).toMatchObject({ listings: 1, listingsInSync: 1 });
  const told = (await scene.events(partner, 'LISTING_SYNC_CHECK', listingId)).length;
  await scene.sync(partner, id);
  expect(await scene.events(partner, 'LISTING_SYNC_CHECK', listingId)).toHaveLength(told);
});

test('reports every requested submission of a listing outside the plan', async () => {
  const { id, businessId } = await scene.addLocation(partner, ['BING', 'FOURSQUARE']);
  await scene.sync(partner, id);
  await leavePlan(businessId);
  await scene.sync(partner, id);
  const { id: listingId } = await scene.listing(partner, id, 'BING');
  const page = await scene.addDirectoryListing(partner, id, 'BING');
  expect((await partner.call('PATCH', `/api/listings/${listingId}`, { listingId: page })).code).toBe(200);
  await scene.runJobs();
  const before = (await scene.updateResults(partner, listingId)).length;
  for (const count of [1, 2]) {
    const { body } = await partner.call('POST', `/api/listings/${listingId}/submit`);
    expect(body.response).toMatchObject({ submission: 'QUEUED' });
    await scene.runJobs();
    expect((await scene.updateResults(partner, listingId)).slice(before)).toEqual(Array(count).fill('UNDEFINED'));
  }
});

test('names missing fields in LISTING_UPDATE', async () => {
  const lacking = { openingHours: [], descriptionLong: null };
  const { id } = await scene.addLocation(partner, ['FOURSQUARE', 'TRIP_ADVISOR', 'WAZE', 'INSTAGRAM'], lacking);
  await scene.query(`update locations set cleansing_status = 'INVALID_DATA' where id = $1`, [id]);
  await scene.sync(partner, id);
  const outcome = async (type: string) => {
    const listing = await scene.listing(partner, id, type);
    const updates = await scene.events(partner, 'LISTING_UPDATE', listing.id);
    return updates.map(({ updateStatus }) => updateStatus).at(-1);
  };
  expect(await outcome('FOURSQUARE')).toBe('MANDATORY_FIELD_MISSING');
  expect(await outcome('TRIP_ADVISOR')).toBe('MANDATORY_FIELD_MISSING');
  expect(await outcome('WAZE')).toBe('LOCATION_NOT_CLEANSED');
  const { id: instagram } = await scene.listing(partner, id, 'INSTAGRAM');
  await partner.call('POST', `/api/listings/${instagram}/connect`);
  await scene.runJobs();
  expect(await outcome('INSTAGRAM')).toBe('ADDRESS_DISPLAY_NOT_SUPPORTED');
});

describe('an incomplete location', () => {
  test.each([
    ['phone', { phone: null }, ['YELP', 'YELLOW_PAGES']],
    ['zip', { zip: null }, ['BING', 'YELP']],
  ])('(without %s) is not synced when no directory of its plan accepts it', async (field, lacking, types) => {
    const { id } = await scene.addLocation(partner, types, lacking);
    expect(await readLocation(id)).toMatchObject({ locationSyncable: false, missingMandatoryFields: [field] });
    const refused = await partner.call('POST', `/api/locations/${id}/sync`);
    expect(refused).toMatchObject({ code: 409, body: { status: 'CONFLICT', errorCode: 'NOT_SYNCABLE' } });
    expect(refused.body.message).toContain(field);
    await scene.runJobs();
    expect(await readLocation(id)).toMatchObject({ status: 'CREATED' });
    expect(await scene.events(partner, 'LISTING_UPDATE')).toEqual([]);
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 9524399', zip: '50823' });
    await scene.runJobs();
    expect(await readLocation(id)).toMatchObject({ locationSyncable: true });
    await scene.sync(partner, id);
    expect(await scene.events(partner, 'LISTING_UPDATE')).toMatchObject([
      { updateResult: 'SUCCESS' },
      { updateResult: 'SUCCESS' },
    ]);
  });

  test('is synced when one directory accepts it; the others report the missing field', async () => {
    const { id } = await scene.addLocation(partner, ['BING', 'YELP', 'NEXTDOOR'], { phone: null });
    expect(await readLocation(id)).toMatchObject({ locationSyncable: true, missingMandatoryFields: ['phone'] });
    await scene.sync(partner, id);
    expect(await readLocation(id)).toMatchObject({ status: 'ACTIVE' });
    const updateOf = async (type: string) => {
      const listing = await scene.listing(partner, id, type);
      return (await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1);
    };
    expect(await updateOf('BING')).toMatchObject({ updateResult: 'SUCCESS', updateStatus: null });
    expect(await updateOf('YELP')).toMatchObject({
      updateResult: 'UNDEFINED',
      updateStatus: 'MANDATORY_FIELD_MISSING',
      messages: ['Yelp requires phone. Add the missing fields and sync again.'],
    });
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 9524398' });
    await scene.runJobs();
    expect(await updateOf('YELP')).toMatchObject({ updateResult: 'SUCCESS' });
  });

  test('is synced when the plan has only link-only directories', async () => {
    const { id } = await scene.addLocation(partner, ['NEXTDOOR'], { phone: null });
    await scene.sync(partner, id);
    expect(await scene.listing(partner, id, 'NEXTDOOR')).toMatchObject({ flowStatus: 'NOT_SUPPORTED' });
  });

  test('that loses a field is no longer submitted to the directories that require it', async () => {
    const { id } = await scene.addLocation(partner, ['TOMTOM', 'CYLEX', 'YELP'], { lat: 50.9, lng: 6.9 });
    await scene.sync(partner, id);
    await partner.call('PATCH', `/api/locations/${id}`, { phone: null, website: 'https://new.example/' });
    await scene.runJobs();
    const lastUpdate = async (type: string) => {
      const listing = await scene.listing(partner, id, type);
      const { updateResult, updateStatus } = (await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1);
      return [updateResult, updateStatus];
    };
    expect(await lastUpdate('TOMTOM')).toEqual(['SUCCESS', null]);
    expect(await lastUpdate('CYLEX')).toEqual(['SUCCESS', null]);
    expect(await lastUpdate('YELP')).toEqual(['UNDEFINED', 'MANDATORY_FIELD_MISSING']);
  });
});
