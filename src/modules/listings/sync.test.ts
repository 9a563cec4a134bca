import { describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';
import { directoryList } from '../directories/directory-list.ts';
import { checkLocationJob } from './listing-work.ts';

let scene: ListingScene;
let partner: TestPartner;

setUpListingScene((opened, added) => {
  scene = opened;
  partner = added;
});

const readLocation = async (id: number) => (await partner.call('GET', `/api/locations/${id}`)).body.response;

describe('the first sync of a location', () => {
  test('activates it, creates a listing per directory and reports each check and submission', async () => {
    const types = directoryList.map(({ type }) => type);
    const { id } = await scene.addLocation(partner, []);
    const started = await scene.sync(partner, id);
    expect(started).toMatchObject({ locationId: id, lastSyncStarted: expect.any(String) });
    expect(started.listings.map(({ type }: { type: string }) => type).toSorted()).toEqual(types.toSorted());

    expect(await scene.events(partner, 'LOCATION_STATUS_CHANGED')).toMatchObject([
      { location: id, from: 'CREATED', to: 'ACTIVE' },
    ]);
    const checks = await scene.events(partner, 'LISTING_SYNC_CHECK');
    expect(new Set(checks.map(({ directoryType }) => directoryType))).toEqual(new Set(types));
    const updates = await scene.events(partner, 'LISTING_UPDATE');
    expect(new Set(updates.map(({ directoryType }) => directoryType))).toEqual(new Set(types));
    const outcome = (type: string) => {
      const { updateResult, updateStatus } = updates.find(({ directoryType }) => directoryType === type);
      return [updateResult, updateStatus];
    };
    expect(outcome('BING')).toEqual(['SUCCESS', null]);
    expect(outcome('GOOGLE')).toEqual(['UNDEFINED', 'INVALID_FLOW_STATUS']);
    expect(outcome('NEXTDOOR')).toEqual(['UNDEFINED', 'NOT_SUPPORTED']);
    expect(outcome('TOMTOM')).toEqual(['SUCCESS', null]);
    expect(await readLocation(id)).toMatchObject({ status: 'ACTIVE', listings: types.length });
  });

  test('creates a missing listing, which the next check finds in sync', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'BING');
    expect(listing).toMatchObject({
      claimStatus: 'CLAIMED_BY_US',
      flowStatus: 'NO_ACTION_NEEDED',
      syncStatus: 'IN_SYNC',
      status: 'ACTIVE',
      connectStatus: 'NOT_NEEDED',
      lastSuccessfulUpdate: expect.any(String),
      listingUrl: expect.stringContaining('bing'),
    });
    const page = await scene.control.listing('BING', listing.listingId);
    expect(page.profile).toMatchObject(await scene.profileOf(partner, id));
    expect(await scene.events(partner, 'LISTING_SYNC_CHECK', listing.id)).toMatchObject([
      { fromListingSyncStatus: 'NOT_FOUND', toListingSyncStatus: 'NOT_FOUND', syncStatusChanged: false },
      {
        fromListingSyncStatus: 'NOT_FOUND',
        toListingSyncStatus: 'IN_SYNC',
        syncStatusChanged: true,
        toListingClaimStatus: 'CLAIMED_BY_US',
        claimStatusChanged: true,
        fromListingFlowStatus: 'ALL_INFORMATION_SUBMITTED',
        toListingFlowStatus: 'NO_ACTION_NEEDED',
        googleStatusChanged: false,
      },
    ]);
    expect(await scene.events(partner, 'LISTING_LINK_CHANGE', listing.id)).toEqual([]);
    expect(await readLocation(id)).toMatchObject({ listings: 1, listingsInSync: 1, visibilityIndex: 100 });
  });

  test('claims an existing listing and submits differences', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    const page = await scene.addDirectoryListing(partner, id, 'BING', { phone: '+492211234567' });
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'BING');
    expect(listing).toMatchObject({
      listingId: page,
      claimStatus: 'CLAIMED_BY_US',
      flowStatus: 'NO_ACTION_NEEDED',
      syncStatus: 'IN_SYNC',
    });
    expect((await scene.control.listing('BING', page)).profile.phone).toBe((await scene.profileOf(partner, id)).phone);
  });

  test('does not change a listing claimed by others', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    const page = await scene.addDirectoryListing(partner, id, 'BING', {
      phone: '+492211234567',
      claim: 'CLAIMED_BY_OTHERS',
    });
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'BING');
    expect(listing).toMatchObject({
      listingId: page,
      claimStatus: 'CLAIMED_BY_OTHERS',
      flowStatus: 'WAITING_USER_ACTION',
      syncStatus: 'NOT_IN_SYNC',
    });
    expect(await scene.events(partner, 'LISTING_UPDATE', listing.id)).toMatchObject([
      { updateResult: 'UNDEFINED', updateStatus: 'INVALID_CLAIM_STATUS' },
    ]);
  });

  test('returns both values of differing fields', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.addDirectoryListing(partner, id, 'BING', { phone: '+492211234567', claim: 'CLAIMED_BY_OTHERS' });
    await scene.sync(partner, id, { submit: false });
    const { fields } = await scene.listing(partner, id, 'BING');
    expect(fields).toContainEqual({
      field: 'phone',
      status: 'MISMATCH',
      locationValue: (await scene.profileOf(partner, id)).phone,
      directoryValue: '+492211234567',
    });
    expect(fields).toContainEqual(expect.objectContaining({ field: 'name', status: 'MATCH' }));
  });

  test('with submit false only checks', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id, { submit: false });
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ flowStatus: 'SUBMISSION_NEEDED' });
    expect(await scene.events(partner, 'LISTING_UPDATE')).toEqual([]);
  });
});

describe('a directory that reviews submissions', () => {
  test('is in sync after the review', async () => {
    const { id } = await scene.addLocation(partner, ['YELLOW_PAGES']);
    await scene.sync(partner, id);
    const created = await scene.listing(partner, id, 'YELLOW_PAGES');
    expect(created).toMatchObject({ flowStatus: 'WAITING_DIRECTORY_ACTION', syncStatus: 'NOT_FOUND' });
    await scene.runJobs({ early: true });
    expect(await scene.listing(partner, id, 'YELLOW_PAGES')).toMatchObject({
      flowStatus: 'WAITING_DIRECTORY_ACTION',
      syncStatus: 'NOT_IN_SYNC',
    });
    await scene.control.decideListing('YELLOW_PAGES', created.listingId, 'ACCEPTED');
    await scene.runJobs({ early: true });
    expect(await scene.listing(partner, id, 'YELLOW_PAGES')).toMatchObject({
      flowStatus: 'NO_ACTION_NEEDED',
      syncStatus: 'IN_SYNC',
    });
  });

  test('needs review after a rejection, and the next change is submitted', async () => {
    const { id } = await scene.addLocation(partner, ['YELLOW_PAGES']);
    await scene.sync(partner, id);
    const { listingId } = await scene.listing(partner, id, 'YELLOW_PAGES');
    await scene.runJobs({ early: true });
    await scene.control.decideListing('YELLOW_PAGES', listingId, 'REFUSED');
    await scene.runJobs({ early: true });
    const refused = await scene.listing(partner, id, 'YELLOW_PAGES');
    expect(refused).toMatchObject({ flowStatus: 'NEEDS_REVIEW', syncStatus: 'NOT_FOUND' });
    expect(refused.listingId).toBeUndefined();
    await partner.call('PATCH', `/api/locations/${id}`, { descriptionShort: 'Something else.' });
    await scene.runJobs();
    expect(await scene.updateResults(partner, refused.id)).toEqual(['SUCCESS', 'FAILURE', 'SUCCESS']);
  });
});

describe('a change of the location', () => {
  test('is submitted automatically', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 7654321' });
    await scene.runJobs();
    const listing = await scene.listing(partner, id, 'BING');
    expect(listing).toMatchObject({ syncStatus: 'IN_SYNC', flowStatus: 'NO_ACTION_NEEDED' });
    expect((await scene.control.listing('BING', listing.listingId)).profile.phone).toBe('+492217654321');
    expect(await scene.events(partner, 'LOCATION_DATA_SUGGESTION')).toEqual([]);
  });

  test('that is refused reports the message of the directory and is not retried', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    await partner.call('PATCH', `/api/locations/${id}`, { descriptionLong: 'The best casino in town.' });
    await scene.runJobs();
    const listing = await scene.listing(partner, id, 'BING');
    expect(listing).toMatchObject({ syncStatus: 'NOT_IN_SYNC', flowStatus: 'NEEDS_REVIEW' });
    expect((await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1)).toMatchObject({
      updateResult: 'FAILURE',
      updateStatus: 'INVALID_FLOW_STATUS',
      messages: ['The word "casino" is not allowed here.'],
    });
    await scene.sync(partner, id);
    expect(await scene.events(partner, 'LISTING_UPDATE', listing.id)).toHaveLength(2);
    const { body } = await partner.call('GET', `/api/listings/${listing.id}/submissions`);
    expect(body.response).toMatchObject({
      count: 2,
      submissions: [
        { updateResult: 'FAILURE', updateStatus: 'INVALID_FLOW_STATUS' },
        { updateResult: 'SUCCESS', updateStatus: null },
      ],
    });
  });

  test('during a submission is submitted afterwards', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    await scene.control.setLatency('BING', 400);
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 7654321' });
    const working = scene.runJobs();
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 7654322' });
    await working;
    await scene.control.setLatency('BING', 0);
    await scene.runJobs({ early: true });
    const listing = await scene.listing(partner, id, 'BING');
    expect(listing).toMatchObject({ syncStatus: 'IN_SYNC', flowStatus: 'NO_ACTION_NEEDED' });
    expect((await scene.control.listing('BING', listing.listingId)).profile.phone).toBe('+492217654322');
  });
});

describe('a location that is no longer served', () => {
  test('removes its listings when closed and restores them when active again', async () => {
    const { id } = await scene.addLocation(partner, ['BING', 'TOMTOM']);
    await scene.sync(partner, id);
    const { listingId } = await scene.listing(partner, id, 'BING');
    await partner.call('PATCH', `/api/locations/${id}`, { status: 'CLOSED' });
    await scene.runJobs();
    await expect(scene.control.listing('BING', listingId)).rejects.toThrow('Bing has no listing');
    const bing = await scene.listing(partner, id, 'BING');
    expect(bing).toMatchObject({ flowStatus: 'REMOVED', syncStatus: 'NOT_FOUND', status: 'INACTIVE' });
    expect(await scene.listing(partner, id, 'TOMTOM')).toMatchObject({ flowStatus: 'REMOVED' });
    expect(await readLocation(id)).toMatchObject({ listings: 0, listingsInSync: 0 });
    expect((await partner.call('GET', '/api/listings/by-directory')).body.response.directories).toEqual([]);
    const flows = (await scene.events(partner, 'LISTING_SYNC_CHECK', bing.id)).map(
      ({ fromListingFlowStatus, toListingFlowStatus }) => [fromListingFlowStatus, toListingFlowStatus],
    );
    expect(flows.slice(-2)).toEqual([
      ['NO_ACTION_NEEDED', 'REMOVAL_NEEDED'],
      ['REMOVAL_SUBMITTED', 'REMOVED'],
    ]);
    expect((await partner.call('POST', `/api/locations/${id}/sync`)).body).toMatchObject({
      status: 'CONFLICT',
      errorCode: 'INACTIVE',
    });
    await partner.call('PATCH', `/api/locations/${id}`, { status: 'ACTIVE' });
    await scene.runJobs();
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC', status: 'ACTIVE' });
  });

  test('cancels its listings when its contract has ended', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    await partner.call('PATCH', `/api/locations/${id}`, { status: 'CANCELLED' });
    await scene.runJobs();
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ flowStatus: 'NO_ACTION_NEEDED' });
    await scene.query(`update locations set status = 'INACTIVE' where id = $1`, [id]);
    await scene.query(`select graphile_worker.add_job('listings.location-changed', $1)`, [{ locationId: id }]);
    await scene.runJobs();
    const { id: listingId, ...listing } = await scene.listing(partner, id, 'BING');
    expect(listing).toMatchObject({ flowStatus: 'INACTIVE', syncStatus: 'NOT_FOUND' });
    const flows = (await scene.events(partner, 'LISTING_SYNC_CHECK', listingId)).map(
      (event) => event.toListingFlowStatus,
    );
    expect(flows.slice(-2)).toEqual(['CANCELLATION_NEEDED', 'INACTIVE']);
  });
});

test('runs a requested sync and its submissions before scheduled checks', async () => {
  const scheduled = await scene.addLocation(partner, ['BING']);
  await scene.sync(partner, scheduled.id);
  const [before] = (await scene.events(partner, 'LISTING_SYNC_CHECK')).toReversed();
  const wanted = await scene.addLocation(partner, ['BING']);
  await checkLocationJob.enqueue(scene.api.database.pool, { locationId: scheduled.id });
  await scene.sync(partner, wanted.id);

  const { rows } = await scene.query(
    `select body::json ->> 'type' as type, (body::json ->> 'location')::int as location from events
     where partner_id = $1 and id > $2 and type in ('LISTING_SYNC_CHECK', 'LISTING_UPDATE') order by id`,
    [partner.partner.id, before.id],
  );
  const firstScheduled = rows.findIndex(({ location }) => location === scheduled.id);
  const submission = rows.findIndex(({ location, type }) => location === wanted.id && type === 'LISTING_UPDATE');
  expect(submission).toBeGreaterThan(-1);
  expect(firstScheduled).toBeGreaterThan(submission);
});
