import { expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';

let scene: ListingScene;
let partner: TestPartner;
let locationId: number;

setUpListingScene(async (opened, added) => {
  scene = opened;
  partner = added;
  locationId = (await scene.addLocation(partner, ['BING'])).id;
});

const duplicates = async () =>
  (await partner.call('GET', `/api/locations/${locationId}/listings?duplicates=true`)).body.response.listings;

test('links one listing, records the others as duplicates and submits nothing to them', async () => {
  const first = await scene.addDirectoryListing(partner, locationId, 'BING');
  const second = await scene.addDirectoryListing(partner, locationId, 'BING', { claim: 'CLAIMED_BY_OTHERS' });
  await scene.sync(partner, locationId);
  const original = await scene.listing(partner, locationId, 'BING');
  expect(original).toMatchObject({ listingId: first, syncStatus: 'IN_SYNC' });
  const [duplicate, ...more] = await duplicates();
  expect(more).toEqual([]);
  expect(duplicate).toMatchObject({
    listingId: second,
    duplicateOf: original.id,
    claimStatus: 'CLAIMED_BY_OTHERS',
    flowStatus: 'NEEDS_REVIEW',
  });
  await partner.call('POST', `/api/listings/${duplicate.id}/submit`);
  await scene.runJobs();
  expect(await scene.events(partner, 'LISTING_UPDATE', duplicate.id)).toMatchObject([
    { updateResult: 'UNDEFINED', updateStatus: 'DUPLICATED' },
  ]);
  expect((await partner.call('GET', `/api/locations/${locationId}`)).body.response).toMatchObject({ listings: 1 });
});

test('removes duplicates that are ours or that the directory marks as copies of ours', async () => {
  await scene.sync(partner, locationId);
  const original = await scene.listing(partner, locationId, 'BING');
  const { id: copy } = await scene.control.duplicateListing('BING', original.listingId);
  const ours = await scene.addDirectoryListing(partner, locationId, 'BING', { claim: 'CLAIMED_BY_US' });
  await scene.sync(partner, locationId);
  const found = await duplicates();
  expect(found.map(({ listingId }: { listingId: string }) => listingId).toSorted()).toEqual([copy, ours].toSorted());
  for (const duplicate of found) {
    expect(duplicate).toMatchObject({ flowStatus: 'REMOVED', suppressedAt: expect.any(String), status: 'INACTIVE' });
    await expect(scene.control.listing('BING', duplicate.listingId)).rejects.toThrow();
    const flows = await scene.events(partner, 'LISTING_SYNC_CHECK', duplicate.id);
    expect(flows.map(({ toListingFlowStatus }) => toListingFlowStatus)).toEqual(['REMOVAL_NEEDED', 'REMOVED']);
    expect(await scene.events(partner, 'LISTING_UPDATE', duplicate.id)).toMatchObject([{ updateResult: 'SUCCESS' }]);
  }
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({
    listingId: original.listingId,
    syncStatus: 'IN_SYNC',
  });
});

test('does not link or submit to a listing of another partner', async () => {
  await scene.sync(partner, locationId);
  const { listingId } = await scene.listing(partner, locationId, 'BING');
  const { id: _, ...same } = (await partner.call('GET', `/api/locations/${locationId}`)).body.response;
  const other = await scene.api.addPartner();
  const { name, street, streetNo, phone, website } = same;
  const twin = await scene.addLocation(other, ['BING'], { name, street, streetNo, phone, website });
  await scene.sync(other, twin.id);
  const theirs = await scene.listing(other, twin.id, 'BING');
  expect(theirs).toMatchObject({
    claimStatus: 'CLAIMED_BY_ANOTHER_US',
    syncStatus: 'NOT_FOUND',
    flowStatus: 'WAITING_USER_ACTION',
  });
  expect(theirs.listingId).toBeUndefined();
  expect(await scene.events(other, 'LISTING_UPDATE', theirs.id)).toMatchObject([
    { updateResult: 'UNDEFINED', updateStatus: 'INVALID_CLAIM_STATUS' },
  ]);
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({ listingId, claimStatus: 'CLAIMED_BY_US' });
});

test('replaces the link with a clearly better match', async () => {
  const poor = await scene.addDirectoryListing(partner, locationId, 'BING', {
    phone: '+492211111122',
    website: 'https://other.example',
    claim: 'CLAIMED_BY_OTHERS',
  });
  await scene.sync(partner, locationId);
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({ listingId: poor });
  const better = await scene.addDirectoryListing(partner, locationId, 'BING');
  await scene.sync(partner, locationId);
  const { id, ...listing } = await scene.listing(partner, locationId, 'BING');
  expect(listing).toMatchObject({ listingId: better, claimStatus: 'CLAIMED_BY_US', syncStatus: 'IN_SYNC' });
  expect((await scene.events(partner, 'LISTING_LINK_CHANGE', id)).at(-1)).toMatchObject({
    fromListingId: poor,
    toListingId: better,
    comment: 'A better match was found',
  });
  expect(await duplicates()).toMatchObject([{ listingId: poor, flowStatus: 'NEEDS_REVIEW' }]);
});

test('submits to a listing of ours that replaced the linked one', async () => {
  const { phone } = await scene.profileOf(partner, locationId);
  await scene.sync(partner, locationId);
  const { id, listingId: gone } = await scene.listing(partner, locationId, 'BING');
  await scene.control.removeListing('BING', gone);
  const replacement = await scene.addDirectoryListing(partner, locationId, 'BING', {
    phone: '+492211111122',
    claim: 'CLAIMED_BY_US',
  });
  await scene.sync(partner, locationId);
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({
    listingId: replacement,
    syncStatus: 'IN_SYNC',
  });
  expect((await scene.control.listing('BING', replacement)).profile.phone).toBe(phone);
  expect(await scene.updateResults(partner, id)).toEqual(['SUCCESS', 'SUCCESS']);
});

test('unlinks and recreates a listing that disappeared', async () => {
  await scene.sync(partner, locationId);
  const { listingId: gone } = await scene.listing(partner, locationId, 'BING');
  await scene.control.removeListing('BING', gone);
  await scene.sync(partner, locationId);
  const { id, ...listing } = await scene.listing(partner, locationId, 'BING');
  expect(listing).toMatchObject({ syncStatus: 'IN_SYNC' });
  expect(listing.listingId).not.toBe(gone);
  const links = await scene.events(partner, 'LISTING_LINK_CHANGE', id);
  expect(links.map(({ fromListingId, toListingId }) => [fromListingId, toListingId])).toEqual([
    [gone, ''],
    ['', listing.listingId],
  ]);
});
