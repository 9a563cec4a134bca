import { describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';
import { anyCaller } from '../../../test/support/sandbox.ts';
import { acceptsSubmissions, directoryList } from '../directories/directory-list.ts';
import { checkListing } from './check-listing.ts';
import type { Listing } from './listing.ts';
import { findListingById, lockListingsOf } from './listing-store.ts';
import { type ListingContext, loadListingContext } from './listing-work.ts';
import { recordSubmission } from './record-submission.ts';
import { submitListing } from './submit-listing.ts';

let scene: ListingScene;
let partner: TestPartner;

setUpListingScene((opened, added) => {
  scene = opened;
  partner = added;
});

const submit = (listingId: number) => partner.call('POST', `/api/listings/${listingId}/submit`);

describe('a submission', () => {
  test('with two queued jobs is sent and recorded once', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id, { submit: false });
    const { id: listingId } = await scene.listing(partner, id, 'BING');
    expect(await submitListing(scene.context, { listingId })).toBe('attempted');
    expect(await submitListing(scene.context, { listingId })).toBe('none');
    expect(await scene.updateResults(partner, listingId)).toEqual(['SUCCESS']);
  });

  test('of a change with two queued jobs is sent and recorded once', async () => {
    const { id } = await scene.addLocation(partner, ['BING'], { autoSync: false });
    await scene.sync(partner, id);
    const { id: listingId } = await scene.listing(partner, id, 'BING');
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 9524904' });
    await scene.sync(partner, id, { submit: false });
    expect(await submitListing(scene.context, { listingId })).toBe('attempted');
    expect(await submitListing(scene.context, { listingId })).toBe('none');
    expect(await scene.updateResults(partner, listingId)).toEqual(['SUCCESS', 'SUCCESS']);
  });

  test('whose result was lost does not create a second listing', async () => {
    const { id } = await scene.addLocation(partner, ['YELP']);
    await scene.sync(partner, id, { submit: false });
    const { id: listingId } = await scene.listing(partner, id, 'YELP');
    let lost: Promise<unknown> | undefined;
    await scene.api.database.transaction(async (transaction) => {
      await lockListingsOf(transaction, id);
      lost = submitListing(scene.context, { listingId });
      await expect.poll(async () => (await scene.directoryListings(partner, id, 'YELP')).length).toBe(1);
      await scene.query(`update listings set lease_until = null, lease_token = null where id = $1`, [listingId]);
    });
    expect(await lost).toBe('busy');
    await scene.query(`update listings set not_before = now() + interval '1 hour', failed_checks = 1 where id = $1`, [
      listingId,
    ]);
    await submit(listingId);
    await scene.runJobs();
    await scene.query('update listings set not_before = null where id = $1', [listingId]);
    await scene.runJobs({ early: true });
    expect(await scene.updateResults(partner, listingId)).toEqual(['UNDEFINED', 'SUCCESS']);
    expect(await scene.directoryListings(partner, id, 'YELP')).toHaveLength(1);
  });

  test('keeps the URL if the response of the directory has none', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const { id: listingId, listingUrl } = await scene.listing(partner, id, 'BING');
    const { database, directories } = scene.context;
    await database.transaction(async (transaction) => {
      const listing = (await findListingById(transaction, listingId)) as Listing;
      const listingContext = (await loadListingContext(transaction, directories, listing)) as ListingContext;
      const { externalId } = listing;
      const profile = await scene.profileOf(partner, id);
      const attempt = { kind: 'submitted', state: 'ACCEPTED', url: undefined, profile } as const;
      await recordSubmission(transaction, {
        listing,
        listingContext,
        attempt: { ...attempt, externalId: String(externalId), messages: [] },
        revision: listingContext.location.revision,
        externalId,
        requested: false,
        now: new Date(),
      });
    });
    await scene.runJobs();
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ listingUrl });
    expect(await scene.events(partner, 'LISTING_LINK_CHANGE', listingId)).toEqual([]);
  });

  test('is repeated when the directory changed the listing again', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'BING');
    for (const phone of ['+49 221 9524901', '+49 221 9524902']) {
      await scene.control.changeListing('BING', listing.listingId, { profile: { phone } });
      await scene.sync(partner, id);
      expect(await scene.listing(partner, id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
    }
    expect(await scene.updateResults(partner, listing.id)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  });
});

describe('a request for a submission', () => {
  test('is submitted without differences, once per request', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const { id: listingId, listingId: page } = await scene.listing(partner, id, 'BING');
    expect((await submit(listingId)).body.response).toMatchObject({ id: listingId, submission: 'QUEUED' });
    await scene.runJobs();
    await scene.control.changeListing('BING', page, { profile: { phone: '+49 221 9524903' } });
    await submit(listingId);
    await scene.runJobs();
    expect(await scene.updateResults(partner, listingId)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
  });

  test('reports that one is already queued', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const { id: listingId } = await scene.listing(partner, id, 'BING');
    const responses = [await submit(listingId), await submit(listingId), await submit(listingId)];
    expect(responses.map(({ body }) => body.response.submission)).toEqual([
      'QUEUED',
      'ALREADY_QUEUED',
      'ALREADY_QUEUED',
    ]);
    expect(responses[1]?.body.warnings).toEqual([expect.stringContaining('already queued')]);
    await scene.runJobs();
    expect(await scene.updateResults(partner, listingId)).toEqual(['SUCCESS', 'SUCCESS']);
    expect((await submit(listingId)).body.response).toMatchObject({ submission: 'QUEUED' });
    await scene.runJobs();
  });

  test('is retried after a rate limit', async () => {
    const { id } = await scene.addLocation(partner, ['GOLOCAL']);
    await scene.sync(partner, id);
    const { id: listingId } = await scene.listing(partner, id, 'GOLOCAL');
    await scene.control.setLimit('GOLOCAL', { requests: 1, perSeconds: 2 });
    await scene.sandbox.directories.connector('GOLOCAL', anyCaller).read('any');
    await submit(listingId);
    await scene.runJobs();
    expect((await submit(listingId)).body.response).toMatchObject({ submission: 'ALREADY_QUEUED' });
    await scene.control.setLimit('GOLOCAL', null);
    await expect
      .poll(
        async () => {
          await scene.runJobs();
          return scene.updateResults(partner, listingId);
        },
        { timeout: 10_000 },
      )
      .toEqual(['SUCCESS', 'UNDEFINED', 'SUCCESS']);
  });

  test.each([
    ['REMOVAL_NEEDED', 0],
    ['REMOVED', 1],
  ])('is sent after the location was reactivated (%s)', async (flowStatus, removals) => {
    const { id } = await scene.addLocation(partner, ['BING'], { autoSync: false });
    await scene.sync(partner, id);
    const { id: listingId } = await scene.listing(partner, id, 'BING');
    await partner.call('PATCH', `/api/locations/${id}`, { status: 'CLOSED' });
    if (removals > 0) await scene.runJobs();
    else await checkListing(scene.context, listingId, { submit: false });
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ flowStatus });
    await partner.call('PATCH', `/api/locations/${id}`, { status: 'ACTIVE' });
    // Before the check that follows the reactivation.
    await submit(listingId);
    expect(await submitListing(scene.context, { listingId, requested: true })).toBe('none');
    await scene.runJobs();
    expect(await scene.updateResults(partner, listingId)).toEqual(Array(2 + removals).fill('SUCCESS'));
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ flowStatus: 'NO_ACTION_NEEDED' });
    expect(await scene.directoryListings(partner, id, 'BING')).toHaveLength(1);
  });

  test('requested by a user does not wait for the time of a scheduled one', async () => {
    const { id } = await scene.addLocation(partner, ['GOLOCAL']);
    await scene.sync(partner, id);
    const { id: listingId } = await scene.listing(partner, id, 'GOLOCAL');
    await scene.query(`update listings set not_before = now() + interval '1 hour' where id = $1`, [listingId]);
    await submit(listingId);
    await scene.runJobs();
    expect(await scene.updateResults(partner, listingId)).toEqual(['SUCCESS', 'SUCCESS']);
  });
});

const patch = (id: number, body: object) => partner.call('PATCH', `/api/listings/${id}`, body);

describe('unlinking a listing creates no new one', () => {
  const page = async (claim: 'CLAIMABLE' | 'CLAIMED_BY_US') => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.addDirectoryListing(partner, id, 'BING', { claim });
    await scene.sync(partner, id, { submit: false });
    return { id, listing: await scene.listing(partner, id, 'BING') };
  };
  const unlink = async (locationId: number, listingId: number) => {
    await patch(listingId, { listingId: null });
    await scene.runJobs();
    await scene.sync(partner, locationId);
    expect(await scene.directoryListings(partner, locationId, 'BING')).toHaveLength(1);
    const unlinked = await scene.listing(partner, locationId, 'BING');
    expect([unlinked.listingId, unlinked.flowStatus]).toEqual([undefined, 'WAITING_USER_ACTION']);
  };

  test('while a submission is needed', async () => {
    const { id, listing } = await page('CLAIMABLE');
    expect(listing).toMatchObject({ flowStatus: 'SUBMISSION_NEEDED' });
    await unlink(id, listing.id);
  });

  test('while a requested submission is queued', async () => {
    const { id, listing } = await page('CLAIMED_BY_US');
    expect(listing).toMatchObject({ flowStatus: 'NO_ACTION_NEEDED' });
    await partner.call('POST', `/api/listings/${listing.id}/submit`);
    await unlink(id, listing.id);
  });

  test('on any directory, also if it does not show the listing', async () => {
    const types = directoryList.filter((one) => acceptsSubmissions(one) && one.supports.addressDisplay);
    const { id } = await scene.addLocation(
      partner,
      types.map(({ type }) => type),
      { lat: 50.9, lng: 6.9 },
    );
    await scene.sync(partner, id, { submit: false });
    const listings = async () =>
      (await partner.call('GET', `/api/locations/${id}/listings?max=100`)).body.response.listings;
    for (const listing of await listings()) await partner.call('POST', `/api/listings/${listing.id}/connect`);
    await scene.sync(partner, id, { submit: true });
    const created = async () =>
      (await scene.events(partner, 'LISTING_UPDATE')).filter(({ updateResult }) => updateResult === 'SUCCESS').length;
    expect(await created()).toBe(types.length);
    for (const listing of await listings()) await patch(listing.id, { listingId: null });
    await scene.runJobs();
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 9524799' });
    await scene.sync(partner, id, { submit: true });
    expect(await created()).toBe(types.length);
    for (const listing of await listings()) expect(listing).toMatchObject({ flowStatus: 'WAITING_USER_ACTION' });
  });

  test('until a user requests one, on a directory without online listings', async () => {
    const location = await scene.addLocation(partner, ['TOMTOM'], { lat: 50.9, lng: 6.9 });
    await scene.sync(partner, location.id);
    const listing = await scene.listing(partner, location.id, 'TOMTOM');
    await patch(listing.id, { listingId: null });
    await scene.runJobs();
    await patch(listing.id, { flowStatus: 'SUBMISSION_NEEDED' });
    await scene.runJobs();
    const created = await scene.listing(partner, location.id, 'TOMTOM');
    expect(created.listingId).toBeDefined();
    // The request lasts until it succeeds.
    await scene.control.decideListing('TOMTOM', created.listingId, 'REFUSED', 'The phone number is wrong.');
    await scene.sync(partner, location.id);
    expect(await scene.listing(partner, location.id, 'TOMTOM')).toMatchObject({ flowStatus: 'NEEDS_REVIEW' });
    await partner.call('PATCH', `/api/locations/${location.id}`, { phone: '+49 221 9524799' });
    await scene.runJobs();
    expect((await scene.listing(partner, location.id, 'TOMTOM')).listingId).toBeDefined();
    // The listing that the user requested is created again after it was removed.
    await partner.call('POST', `/api/locations/${location.id}/status`, { status: 'CLOSED' });
    await scene.runJobs();
    await partner.call('POST', `/api/locations/${location.id}/status`, { status: 'ACTIVE' });
    await scene.runJobs();
    expect((await scene.listing(partner, location.id, 'TOMTOM')).listingId).toBeDefined();
  });
});
