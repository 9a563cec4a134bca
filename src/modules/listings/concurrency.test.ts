import { describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';
import { changeListingManually } from './change-listing.ts';
import { checkListing } from './check-listing.ts';
import { findListingById, lockListingsOf } from './listing-store.ts';
import { submitListing } from './submit-listing.ts';

let scene: ListingScene;
let partner: TestPartner;

setUpListingScene((opened, added) => {
  scene = opened;
  partner = added;
});

const untilWaiting = (count: number) =>
  expect
    .poll(
      async () => {
        const { rows } = await scene.query(
          `select count(*)::int as waiting from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows[0].waiting;
      },
      { timeout: 10_000 },
    )
    .toBe(count);

/** Two locations with the same profile, with unchecked listings. */
async function twins(differing: [object, object]): Promise<{ ids: [number, number]; listings: [number, number] }> {
  const ids: number[] = [];
  const first = await scene.addLocation(partner, ['BING'], differing[0]);
  const { name, street, streetNo, website } = first;
  ids.push(first.id);
  ids.push((await scene.addLocation(partner, ['BING'], { name, street, streetNo, website, ...differing[1] })).id);
  const listings: number[] = [];
  for (const id of ids) {
    const { body } = await partner.call('POST', `/api/locations/${id}/sync`, { submit: false });
    listings.push(body.response.listings[0].id);
  }
  return { ids: ids as [number, number], listings: listings as [number, number] };
}

/** Checks both concurrently; neither writes before both have read the directory. */
async function checkAtOnce(listings: readonly number[]): Promise<unknown[]> {
  const blocker = await scene.api.database.pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('lock table events in share mode');
    const checks = Promise.all(listings.map((id) => checkListing(scene.context, id)));
    await untilWaiting(2);
    await blocker.query('commit');
    return await checks;
  } finally {
    blocker.release();
  }
}

const claimsOf = async (listings: readonly number[]) => {
  const found = await Promise.all(listings.map((id) => partner.call('GET', `/api/listings/${id}`)));
  return found.map(({ body }) => body.response.claimStatus).toSorted();
};

test('links a directory listing to one of two locations that find it concurrently', async () => {
  const phone = '+49 221 9524277';
  const { ids, listings } = await twins([{ phone }, { phone }]);
  await scene.addDirectoryListing(partner, ids[0], 'BING', { claim: 'CLAIMED_BY_US' });
  expect(await checkAtOnce(listings)).toEqual(['checked', 'checked']);
  expect(await claimsOf(listings)).toEqual(['CLAIMED_BY_ANOTHER_US', 'CLAIMED_BY_US']);
  await scene.runJobs();
});

test('does not deadlock when two locations are duplicates of each other', async () => {
  const { ids, listings } = await twins([{ phone: '+49 221 9524278' }, { phone: '+49 221 9524279' }]);
  await scene.addDirectoryListing(partner, ids[0], 'BING', { claim: 'CLAIMED_BY_US' });
  await scene.addDirectoryListing(partner, ids[1], 'BING', { claim: 'CLAIMED_BY_US' });
  expect(await checkAtOnce(listings)).toEqual(['checked', 'checked']);
  await scene.runJobs();
});

test('reports a blocker for the current state of the listing', async () => {
  const { id, businessId } = await scene.addLocation(partner, ['BING']);
  await scene.sync(partner, id, { submit: false });
  const { id: listingId } = await scene.listing(partner, id, 'BING');
  await partner.call('PATCH', `/api/listings/${listingId}`, { flowStatus: 'NEEDS_REVIEW' });
  await scene.runJobs();
  const before = (await scene.events(partner, 'LISTING_UPDATE', listingId)).length;
  await scene.query('update listings set submission_requested = true where id = $1', [listingId]);
  const { database } = scene.api;
  let submission: Promise<unknown> | undefined;
  await database.transaction(async (transaction) => {
    await lockListingsOf(transaction, id);
    submission = submitListing(scene.context, { listingId });
    await untilWaiting(1);
    const listing = await findListingById(transaction, listingId);
    if (!listing) throw new Error('There is no listing.');
    const actor = { partner: partner.partner, by: 'PRIVATE_TOKEN' };
    await changeListingManually(transaction, actor, { listing, businessId }, { flowStatus: 'SUBMISSION_NEEDED' });
  });
  await submission;
  await scene.runJobs();
  const updates = (await scene.events(partner, 'LISTING_UPDATE', listingId)).slice(before);
  expect(updates).toMatchObject([{ updateResult: 'SUCCESS' }]);
});

test('does not remove a listing whose location was reactivated before the removal', async () => {
  const { id } = await scene.addLocation(partner, ['BING']);
  await scene.sync(partner, id);
  const { id: listingId, listingId: page } = await scene.listing(partner, id, 'BING');
  await scene.query(`update locations set status = 'CLOSED' where id = $1`, [id]);
  expect(await checkListing(scene.context, listingId)).toBe('checked');
  expect(await scene.listing(partner, id, 'BING')).toMatchObject({ flowStatus: 'REMOVAL_NEEDED' });
  await partner.call('PATCH', `/api/locations/${id}`, { status: 'ACTIVE' });
  expect(await submitListing(scene.context, { listingId })).toBe('none');
  await scene.runJobs();
  expect(await scene.listing(partner, id, 'BING')).toMatchObject({ listingId: page, flowStatus: 'NO_ACTION_NEEDED' });
});

describe('a link that a user changes during an attempt', () => {
  /** Starts an attempt for the linked listing, and links another listing of ours before its result is recorded. */
  async function relinkDuring(locationId: number, businessId: number): Promise<{ listingId: number; page: string }> {
    const { id: listingId } = await scene.listing(partner, locationId, 'BING');
    const page = await scene.addDirectoryListing(partner, locationId, 'BING', {
      name: 'Another name',
      claim: 'CLAIMED_BY_US',
    });
    const { url = null } = await scene.control.listing('BING', page);
    let attempt: Promise<unknown> | undefined;
    await scene.api.database.transaction(async (transaction) => {
      await lockListingsOf(transaction, locationId);
      attempt = submitListing(scene.context, { listingId });
      await untilWaiting(1);
      const listing = await findListingById(transaction, listingId);
      if (!listing) throw new Error('There is no listing.');
      const actor = { partner: partner.partner, by: 'PRIVATE_TOKEN' };
      const change = { listingId: page };
      await changeListingManually(transaction, actor, { listing, businessId }, change, { externalId: page, url });
    });
    expect(await attempt).toBe('attempted');
    await scene.runJobs();
    return { listingId, page };
  }

  test('removes the listing that is linked now', async () => {
    const { id, businessId } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    await scene.query(`update listings set flow_status = 'REMOVAL_NEEDED' where location_id = $1`, [id]);
    await scene.query(`update locations set status = 'CLOSED' where id = $1`, [id]);
    const { page } = await relinkDuring(id, businessId);
    await expect(scene.control.listing('BING', page)).rejects.toThrow('Bing has no listing');
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ flowStatus: 'REMOVED' });
  });

  test('submits to the listing that is linked now after a refusal of the other', async () => {
    const { id, businessId, name } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const { id: listingId, listingId: refusing } = await scene.listing(partner, id, 'BING');
    await scene.query('update listings set submission_requested = true where id = $1', [listingId]);
    await scene.control.removeListing('BING', refusing);
    const { page } = await relinkDuring(id, businessId);
    expect((await scene.control.listing('BING', page)).profile.name).toBe(name);
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ listingId: page, syncStatus: 'IN_SYNC' });
  });
});
