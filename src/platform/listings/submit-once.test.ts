import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { ListingScene } from '../../../test/support/listings.ts';
import { readConfig } from '../../config.ts';
import { openFileStore } from '../../storage/open-file-store.ts';
import { lockListingsOf } from './listing-store.ts';
import { submitListing } from './submit-listing.ts';

let scene: ListingScene;
let partner: TestPartner;

beforeAll(async () => {
  scene = await ListingScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  partner = await scene.api.addPartner();
});

function context() {
  const config = readConfig({});
  return {
    database: scene.api.database,
    config,
    directories: scene.sandbox.directories,
    files: openFileStore(config),
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
  };
}

const submit = (listingId: number) => partner.call('POST', `/api/listings/${listingId}/submit`);

const updatesOf = async (listingId: number) =>
  (await scene.events(partner, 'LISTING_UPDATE', listingId)).map(({ updateResult }) => updateResult);

const pagesOf = async (directory: string, locationId: number) => {
  const { name } = await scene.profileOf(partner, locationId);
  return (await scene.control.listings({ directory, text: name })).listings;
};

describe('a submission', () => {
  test('that two jobs were enqueued for is sent and recorded once', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id, { submit: false });
    const { id: listingId } = await scene.listing(partner, id, 'BING');
    expect(await submitListing(context(), listingId)).toBe('tried');
    expect(await submitListing(context(), listingId)).toBe('none');
    expect(await updatesOf(listingId)).toEqual(['SUCCESS']);
  });

  test('of a change that two jobs were enqueued for is sent and recorded once', async () => {
    const { id } = await scene.addLocation(partner, ['BING'], { autoSync: false });
    await scene.sync(partner, id);
    const { id: listingId } = await scene.listing(partner, id, 'BING');
    await partner.call('PATCH', `/api/locations/${id}`, { phone: '+49 221 9524904' });
    await scene.sync(partner, id, { submit: false });
    expect(await submitListing(context(), listingId)).toBe('tried');
    expect(await submitListing(context(), listingId)).toBe('none');
    expect(await updatesOf(listingId)).toEqual(['SUCCESS', 'SUCCESS']);
  });

  test('whose result was lost creates no second page, whatever was recorded meanwhile', async () => {
    const { id } = await scene.addLocation(partner, ['YELP']);
    await scene.sync(partner, id, { submit: false });
    const { id: listingId } = await scene.listing(partner, id, 'YELP');
    let lost: Promise<unknown> | undefined;
    await scene.api.database.transaction(async (transaction) => {
      await lockListingsOf(transaction, id);
      lost = submitListing(context(), listingId);
      await expect.poll(async () => (await pagesOf('YELP', id)).length, { timeout: 10_000 }).toBe(1);
      await scene.query(`update listings set lease_until = null, lease_token = null where id = $1`, [listingId]);
    });
    expect(await lost).toBe('busy');
    await scene.query(`update listings set not_before = now() + interval '1 hour' where id = $1`, [listingId]);
    await submit(listingId);
    await scene.work();
    await scene.query('update listings set not_before = null where id = $1', [listingId]);
    await scene.work({ early: true });
    expect(await updatesOf(listingId)).toEqual(['UNDEFINED', 'SUCCESS']);
    expect(await pagesOf('YELP', id)).toHaveLength(1);
  });

  test('is repeated when the directory changed the page again', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const listing = await scene.listing(partner, id, 'BING');
    for (const phone of ['+49 221 9524901', '+49 221 9524902']) {
      await scene.control.changeListing('BING', listing.listingId, { profile: { phone } });
      await scene.sync(partner, id);
      expect(await scene.listing(partner, id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
    }
    expect(await updatesOf(listing.id)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  });
});

describe('a request for a submission', () => {
  test('is carried out even when nothing differs, and each request anew', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const { id: listingId, listingId: page } = await scene.listing(partner, id, 'BING');
    expect((await submit(listingId)).body.response).toMatchObject({ id: listingId, submission: 'QUEUED' });
    await scene.work();
    await scene.control.changeListing('BING', page, { profile: { phone: '+49 221 9524903' } });
    await submit(listingId);
    await scene.work();
    expect(await updatesOf(listingId)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
    expect(await scene.listing(partner, id, 'BING')).toMatchObject({ syncStatus: 'IN_SYNC' });
  });

  test('says that one is already queued', async () => {
    const { id } = await scene.addLocation(partner, ['BING']);
    await scene.sync(partner, id);
    const { id: listingId } = await scene.listing(partner, id, 'BING');
    const answers = [await submit(listingId), await submit(listingId), await submit(listingId)];
    expect(answers.map(({ body }) => body.response.submission)).toEqual(['QUEUED', 'ALREADY_QUEUED', 'ALREADY_QUEUED']);
    expect(answers[1]?.body.warnings).toEqual([expect.stringContaining('already queued')]);
    await scene.work();
    expect(await updatesOf(listingId)).toEqual(['SUCCESS', 'SUCCESS']);
    expect((await submit(listingId)).body.response).toMatchObject({ submission: 'QUEUED' });
    await scene.work();
  });

  test('that the directory has no capacity for is carried out later', async () => {
    const { id } = await scene.addLocation(partner, ['GOLOCAL']);
    await scene.sync(partner, id);
    const { id: listingId } = await scene.listing(partner, id, 'GOLOCAL');
    await scene.query(`update listings set not_before = now() + interval '1 hour' where id = $1`, [listingId]);
    await submit(listingId);
    await scene.work();
    expect((await submit(listingId)).body.response).toMatchObject({ submission: 'ALREADY_QUEUED' });
    await scene.query('update listings set not_before = null where id = $1', [listingId]);
    await scene.work({ early: true });
    expect(await updatesOf(listingId)).toEqual(['SUCCESS', 'UNDEFINED', 'SUCCESS']);
  });
});
