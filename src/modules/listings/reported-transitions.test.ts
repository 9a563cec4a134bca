import { expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';

let scene: ListingScene;
let partner: TestPartner;

setUpListingScene((opened, added) => {
  scene = opened;
  partner = added;
});

const begun = { claim: 'UNKNOWN', flow: 'SUBMISSION_NEEDED', sync: 'NOT_FOUND' };

/** Flow status after each event. A submission changes it and is reported as LISTING_UPDATE. */
const movedBySubmission = [
  'ALL_INFORMATION_SUBMITTED',
  'WAITING_DIRECTORY_ACTION',
  'WAITING_USER_ACTION',
  'NEEDS_REVIEW',
  'REMOVAL_SUBMITTED',
];

/** Checks that each event starts with the statuses in which the previous one ended. */
async function follow(listingId: number) {
  const { rows } = await scene.query(
    `select body::json as event from events where partner_id = $1 and type like 'LISTING%' order by id`,
    [partner.partner.id],
  );
  const events = rows.map(({ event }) => event).filter(({ listing }) => listing === listingId);
  const told: Record<string, string> = { ...begun };
  let submitted = false;
  for (const event of events) {
    if (event.type === 'LISTING_UPDATE') submitted = true;
    if (event.toListingClaimStatus === undefined) continue;
    expect(event.fromListingClaimStatus, `claim status before event ${event.id}`).toBe(told.claim);
    expect(event.fromListingSyncStatus, `sync status before event ${event.id}`).toBe(told.sync);
    const flows = submitted ? [told.flow, ...movedBySubmission] : [told.flow];
    expect(flows, `flow status before event ${event.id}`).toContain(event.fromListingFlowStatus);
    told.claim = event.toListingClaimStatus;
    told.flow = event.toListingFlowStatus;
    told.sync = event.toListingSyncStatus;
    submitted = false;
  }
  const { claimStatus, flowStatus, syncStatus } = (await partner.call('GET', `/api/listings/${listingId}`)).body
    .response;
  expect({ claim: claimStatus, flow: flowStatus, sync: syncStatus }).toEqual(told);
  return events.map(({ type }) => type);
}

test('reports every status transition from creation through claim and submission to the next check', async () => {
  const { id } = await scene.addLocation(partner, ['BING']);
  await scene.addDirectoryListing(partner, id, 'BING', { phone: '+492211234567' });
  await scene.sync(partner, id);
  const listing = await scene.listing(partner, id, 'BING');
  expect(listing).toMatchObject({ claimStatus: 'CLAIMED_BY_US', flowStatus: 'NO_ACTION_NEEDED' });
  expect(await follow(listing.id)).toEqual(['LISTING_SYNC_CHECK', 'LISTING_UPDATE', 'LISTING_SYNC_CHECK']);
  const checks = await scene.events(partner, 'LISTING_SYNC_CHECK', listing.id);
  expect(checks.at(-1)).toMatchObject({
    claimStatusChanged: true,
    fromListingClaimStatus: 'CLAIMABLE',
    toListingClaimStatus: 'CLAIMED_BY_US',
  });
});

test('reports a pending claim with the checks', async () => {
  const { id } = await scene.addLocation(partner, ['TRIP_ADVISOR']);
  await scene.addDirectoryListing(partner, id, 'TRIP_ADVISOR', { phone: '+492211234567' });
  await scene.sync(partner, id);
  const listing = await scene.listing(partner, id, 'TRIP_ADVISOR');
  expect(listing).toMatchObject({ claimStatus: 'CLAIMING_IN_PROGRESS', flowStatus: 'WAITING_DIRECTORY_ACTION' });
  await follow(listing.id);
});

test('reports every status transition of a duplicate, also when it becomes the link', async () => {
  const { id } = await scene.addLocation(partner, ['BING']);
  await scene.addDirectoryListing(partner, id, 'BING');
  const second = await scene.addDirectoryListing(partner, id, 'BING', { claim: 'CLAIMED_BY_OTHERS' });
  await scene.sync(partner, id);
  const original = await scene.listing(partner, id, 'BING');
  const path = `/api/locations/${id}/listings?duplicates=true`;
  const [duplicate] = (await partner.call('GET', path)).body.response.listings;
  expect(duplicate).toMatchObject({ listingId: second });
  await partner.call('PATCH', `/api/listings/${original.id}`, { listingId: second });
  await scene.runJobs();
  expect(await scene.listing(partner, id, 'BING')).toMatchObject({ listingId: second });
  await follow(original.id);
  await follow(duplicate.id);
  expect(await scene.events(partner, 'LISTING_LINK_CHANGE', duplicate.id)).toMatchObject([
    { fromListingId: second, toListingId: '' },
  ]);
});
