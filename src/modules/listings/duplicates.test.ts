import { expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';
import { checkListing } from './check-listing.ts';
import { submitListing } from './submit-listing.ts';

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
    await expect(scene.control.listing('BING', duplicate.listingId)).rejects.toThrow('Bing has no listing');
    const flows = await scene.events(partner, 'LISTING_SYNC_CHECK', duplicate.id);
    expect(flows.map(({ toListingFlowStatus }) => toListingFlowStatus)).toEqual(['REMOVAL_NEEDED', 'REMOVED']);
    expect(await scene.events(partner, 'LISTING_UPDATE', duplicate.id)).toMatchObject([{ updateResult: 'SUCCESS' }]);
  }
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({
    listingId: original.listingId,
    syncStatus: 'IN_SYNC',
  });
});

/** Another business at the address of the location, with the same phone. */
async function addNeighbour(who: TestPartner, name: string) {
  const { street, streetNo, phone, website } = (await partner.call('GET', `/api/locations/${locationId}`)).body
    .response;
  return scene.addLocation(who, ['BING'], { name, street, streetNo, phone, website });
}

test.each(['the same', 'another'])('keeps the listing of another location of %s partner', async (whose) => {
  const owner = whose === 'another' ? await scene.api.addPartner() : partner;
  const { name } = await scene.profileOf(partner, locationId);
  const neighbour = await addNeighbour(owner, `Restaurant ${name}`);
  const own = await scene.addDirectoryListing(partner, locationId, 'BING', { claim: 'CLAIMED_BY_US' });
  const theirs = await scene.addDirectoryListing(owner, neighbour.id, 'BING', { claim: 'CLAIMED_BY_US' });
  await scene.sync(partner, locationId);
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({ listingId: own });
  expect(await duplicates()).toEqual([]);
  await scene.sync(owner, neighbour.id);
  expect(await scene.listing(owner, neighbour.id, 'BING')).toMatchObject({ listingId: theirs, syncStatus: 'IN_SYNC' });
  expect((await scene.control.listing('BING', theirs)).profile.name).toBe(`Restaurant ${name}`);
});

test('does not link a listing that another location matches better', async () => {
  const { name } = await scene.profileOf(partner, locationId);
  const neighbour = await addNeighbour(partner, `Restaurant ${name}`);
  const theirs = await scene.addDirectoryListing(partner, neighbour.id, 'BING', { claim: 'CLAIMED_BY_US' });
  await scene.sync(partner, locationId);
  expect((await scene.listing(partner, locationId, 'BING')).listingId).not.toBe(theirs);
  expect((await scene.control.listing('BING', theirs)).profile.name).toBe(`Restaurant ${name}`);
});

test('unlinks a duplicate that another location matches better', async () => {
  await scene.sync(partner, locationId);
  const { name } = await scene.profileOf(partner, locationId);
  const theirs = await scene.addDirectoryListing(partner, locationId, 'BING', {
    name: `Restaurant ${name}`,
    claim: 'CLAIMED_BY_OTHERS',
  });
  await scene.sync(partner, locationId);
  expect(await duplicates()).toMatchObject([{ listingId: theirs, flowStatus: 'NEEDS_REVIEW' }]);
  const neighbour = await addNeighbour(partner, `Restaurant ${name}`);
  await scene.sync(partner, locationId);
  const [duplicate] = await duplicates();
  expect(duplicate).toMatchObject({ flowStatus: 'REMOVED' });
  expect(duplicate).not.toHaveProperty('listingId');
  await scene.sync(partner, neighbour.id);
  expect(await scene.listing(partner, neighbour.id, 'BING')).toMatchObject({ listingId: theirs });
});

test('keeps a listing of ours with another phone until a user reviews it', async () => {
  await scene.sync(partner, locationId);
  const other = await scene.addDirectoryListing(partner, locationId, 'BING', {
    phone: '+492211111122',
    claim: 'CLAIMED_BY_US',
  });
  await scene.sync(partner, locationId);
  expect(await duplicates()).toMatchObject([{ listingId: other, flowStatus: 'NEEDS_REVIEW' }]);
  await scene.control.listing('BING', other);
});

test.each([
  ['of another owner', { claim: 'CLAIMED_BY_OTHERS' }],
  ['of ours', { claim: 'CLAIMED_BY_US' }],
] as const)('keeps the linked listing when a user links another one %s', async (_case, change) => {
  await scene.sync(partner, locationId);
  const { id, listingId: own } = await scene.listing(partner, locationId, 'BING');
  const chosen = await scene.addDirectoryListing(partner, locationId, 'BING', change);
  expect((await partner.call('PATCH', `/api/listings/${id}`, { listingId: chosen })).code).toBe(200);
  await scene.runJobs();
  await scene.sync(partner, locationId);
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({ listingId: chosen });
  await scene.control.listing('BING', own);
});

test('removes no duplicate while the loss of the original is doubted', async () => {
  await scene.sync(partner, locationId);
  const { id, listingId } = await scene.listing(partner, locationId, 'BING');
  const { id: copy } = await scene.control.duplicateListing('BING', listingId);
  await scene.sync(partner, locationId, { submit: false });
  const [duplicate] = await duplicates();
  expect(duplicate).toMatchObject({ listingId: copy, flowStatus: 'REMOVAL_NEEDED' });
  // The directory merges the original into the duplicate.
  await scene.control.removeListing('BING', listingId);
  await checkListing(scene.context, id);
  expect(await submitListing(scene.context, { listingId: duplicate.id })).toBe('none');
  await scene.query('update listings set not_before = now() where id = $1', [id]);
  await scene.runJobs({ early: true });
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({ listingId: copy });
  await scene.control.listing('BING', copy);
});

test('does not repeat a refused removal until the location changes', async () => {
  await scene.sync(partner, locationId);
  const { listingId } = await scene.listing(partner, locationId, 'BING');
  const { id: copy } = await scene.control.duplicateListing('BING', listingId);
  await scene.control.changeListing('BING', copy, { claim: 'NOT_CLAIMABLE' });
  for (let syncs = 0; syncs < 3; syncs += 1) await scene.sync(partner, locationId);
  const [duplicate] = await duplicates();
  expect(duplicate).toMatchObject({ listingId: copy, flowStatus: 'NEEDS_REVIEW' });
  expect(await scene.updateResults(partner, duplicate.id)).toEqual(['FAILURE']);
  await partner.call('PATCH', `/api/locations/${locationId}`, { phone: '+49 221 9524799' });
  await scene.runJobs();
  expect(await scene.updateResults(partner, duplicate.id)).toEqual(['FAILURE', 'FAILURE']);
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
  // Another check must confirm the loss.
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({ listingId: gone, syncStatus: 'NOT_FOUND' });
  await scene.query('update listings set not_before = now() where id = $1', [id]);
  await scene.sync(partner, locationId);
  expect(await scene.listing(partner, locationId, 'BING')).toMatchObject({
    listingId: replacement,
    syncStatus: 'IN_SYNC',
  });
  expect((await scene.control.listing('BING', replacement)).profile.phone).toBe(phone);
  expect(await scene.updateResults(partner, id)).toEqual(['SUCCESS', 'SUCCESS']);
});
