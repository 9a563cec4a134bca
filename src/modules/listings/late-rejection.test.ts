import { describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { runCli } from '../../../test/support/cli.ts';
import { type ListingScene, setUpListingScene } from '../../../test/support/listings.ts';
import { anyCaller } from '../../../test/support/sandbox.ts';
import { checkLocationJob } from './listing-work.ts';

let scene: ListingScene;
let partner: TestPartner;

setUpListingScene((opened, added) => {
  scene = opened;
  partner = added;
});

async function submitted(type: string, overrides: object = {}) {
  const { id } = await scene.addLocation(partner, [type], overrides);
  await scene.sync(partner, id);
  const listing = await scene.listing(partner, id, type);
  expect(listing).toMatchObject({ flowStatus: 'WAITING_DIRECTORY_ACTION' });
  return { id, listing };
}

const message = 'The name does not match the sign of the shop.';

describe('a submission that the directory rejects after its review', () => {
  test.each([
    ['YELP', {}],
    ['TOMTOM', { lat: 50.9, lng: 6.9 }],
  ])('is reported once as a failure and needs review (new listing, %s)', async (type, overrides) => {
    const { id, listing } = await submitted(type, overrides);
    await scene.control.decideListing(type, listing.listingId, 'REFUSED', message);
    await scene.sync(partner, id);
    await scene.sync(partner, id);
    const after = await scene.listing(partner, id, type);
    expect(after).toMatchObject({ flowStatus: 'NEEDS_REVIEW' });
    expect(after.listingId).toBeUndefined();
    expect(await scene.updateResults(partner, listing.id)).toEqual(['SUCCESS', 'FAILURE']);
    expect((await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1)).toMatchObject({ messages: [message] });
    const { body } = await partner.call('GET', `/api/listings/${listing.id}/submissions`);
    expect(body.response.submissions[0]).toMatchObject({ updateResult: 'FAILURE', messages: [message] });
    const checks = await scene.events(partner, 'LISTING_SYNC_CHECK', listing.id);
    expect(checks.at(-2)).toMatchObject({
      fromListingFlowStatus: 'WAITING_DIRECTORY_ACTION',
      toListingFlowStatus: 'NEEDS_REVIEW',
    });
    await partner.call('PATCH', `/api/locations/${id}`, { name: 'Another name altogether' });
    await scene.runJobs();
    expect((await scene.updateResults(partner, listing.id)).at(-1)).toBe('SUCCESS');
  });

  test('is reported with the message of "waypost sandbox decide"', async () => {
    const { id, listing } = await submitted('YELP');
    const { api, sandbox } = scene;
    const options = ['--listing', `${listing.id}`, '--as', 'refused', '--message', message];
    const access = ['--url', `http://127.0.0.1:${api.port}`, '--key', partner.privateKey];
    const env = { WAYPOST_SANDBOX_URL: sandbox.url, WAYPOST_SANDBOX_KEY: sandbox.key };
    const { code, stderr } = await runCli(['sandbox', 'decide', ...options, ...access], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await scene.sync(partner, id);
    expect((await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1)).toMatchObject({
      updateResult: 'FAILURE',
      messages: [message],
    });
  });

  test('keeps the link when a change was rejected', async () => {
    const { id, listing } = await submitted('YELP');
    await scene.control.decideListing('YELP', listing.listingId, 'ACCEPTED');
    await scene.sync(partner, id);
    expect(await scene.updateResults(partner, listing.id)).toEqual(['SUCCESS']);
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 9524801' });
    await scene.runJobs();
    await scene.control.decideListing('YELP', listing.listingId, 'REFUSED', message);
    await scene.sync(partner, id);
    expect(await scene.listing(partner, id, 'YELP')).toMatchObject({
      listingId: listing.listingId,
      flowStatus: 'NEEDS_REVIEW',
      syncStatus: 'NOT_IN_SYNC',
    });
    expect(await scene.updateResults(partner, listing.id)).toEqual(['SUCCESS', 'SUCCESS', 'FAILURE']);
  });

  test('is reported without changing a flow status set by a user', async () => {
    const { id, listing } = await submitted('YELP');
    await partner.call('PATCH', `/api/listings/${listing.id}`, { flowStatus: 'MANUALLY_CREATED' });
    await scene.runJobs();
    await scene.control.decideListing('YELP', listing.listingId, 'REFUSED', message);
    await scene.sync(partner, id);
    expect(await scene.updateResults(partner, listing.id)).toEqual(['SUCCESS', 'FAILURE']);
    expect(await scene.listing(partner, id, 'YELP')).toMatchObject({ flowStatus: 'MANUALLY_CREATED' });
  });
});

test('has one recheck queued during the review, however often a user starts a sync', async () => {
  const { id, listing } = await submitted('YELP');
  await scene.sync(partner, id);
  const { rows } = await scene.query('select key from graphile_worker.jobs where key like $1', [
    `listings.check-${listing.id}%`,
  ]);
  expect(rows).toEqual([{ key: `listings.check-${listing.id}` }]);
});

test.each(['CLAIMABLE', 'CLAIMING_IN_PROGRESS'] as const)(
  'submits a sync without autoSync after the claim is decided (%s)',
  async (claim) => {
    const { id } = await scene.addLocation(partner, ['YELP'], { autoSync: false });
    const page = await scene.addDirectoryListing(partner, id, 'YELP', { claim, phone: '+492211234567' });
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'YELP');
    expect(listing).toMatchObject({ claimStatus: 'CLAIMING_IN_PROGRESS' });
    // The daily check.
    await checkLocationJob.enqueue(scene.api.database.pool, { locationId: id, partnerId: partner.partner.id });
    await scene.runJobs();
    await scene.control.changeListing('YELP', page, { claim: 'CLAIMED_BY_US' });
    await scene.runJobs({ early: true });
    expect(await scene.updateResults(partner, listing.id)).toEqual(['UNDEFINED', 'SUCCESS']);
  },
);

test('reports LIMIT_REACHED for a removal during a rate limit', async () => {
  const { id } = await scene.addLocation(partner, ['CYLEX']);
  await scene.sync(partner, id);
  const listing = await scene.listing(partner, id, 'CYLEX');
  await scene.query(`update listings set flow_status = 'REMOVAL_NEEDED' where id = $1`, [listing.id]);
  await scene.query(`update locations set status = 'CLOSED' where id = $1`, [id]);
  await scene.control.setLimit('CYLEX', { requests: 1, perSeconds: 3600 });
  await scene.sandbox.directories.connector('CYLEX', anyCaller).read('any');
  try {
    await partner.call('POST', `/api/listings/${listing.id}/submit`);
    await scene.runJobs();
    expect((await scene.events(partner, 'LISTING_UPDATE', listing.id)).at(-1)).toMatchObject({
      updateResult: 'UNDEFINED',
      updateStatus: 'LIMIT_REACHED',
    });
  } finally {
    await scene.control.setLimit('CYLEX', null);
  }
});
