import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPartner } from '../../../test/support/api.ts';
import { ListingScene } from '../../../test/support/listings.ts';

let scene: ListingScene;
let owner: TestPartner;
let child: TestPartner;

beforeAll(async () => {
  scene = await ListingScene.open({ panel: true });
  owner = await scene.api.addPartner();
  child = await scene.api.addPartner(owner);
});
afterAll(() => scene.close());

const isDown = async (type: string) => {
  const { directories } = await scene.control.status();
  return directories.find((directory) => directory.type === type)?.trouble !== undefined;
};

const outage = '/api/sandbox/directories/BING/outage';
const receiver = '/api/sandbox/receiver/crm';

test('only the partner above all others can start and end an outage', async () => {
  const refused = {
    code: 403,
    body: { status: 'FORBIDDEN', message: expect.stringContaining('is shared with partners') },
  };
  expect(await child.call('PUT', outage, { seconds: 60 })).toMatchObject(refused);
  expect(await isDown('BING')).toBe(false);
  expect(await owner.call('PUT', outage, { seconds: 60 })).toMatchObject({ code: 200 });
  expect(await child.call('DELETE', outage)).toMatchObject(refused);
  expect(await isDown('BING')).toBe(true);
  expect(await owner.call('DELETE', outage)).toMatchObject({ code: 200 });

  const stranger = await scene.api.addPartner();
  for (const partner of [owner, stranger]) {
    expect(await partner.call('PUT', outage, { seconds: 60 })).toMatchObject(refused);
    expect(await partner.call('PUT', receiver, { mode: 'down' })).toMatchObject(refused);
  }
  expect(await isDown('BING')).toBe(false);
});

test('rejects changes of listings of other partners', async () => {
  const { id } = await scene.addLocation(owner, ['GOLOCAL']);
  await scene.sync(owner, id);
  const listing = await scene.listing(owner, id, 'GOLOCAL');
  const before = await scene.control.listing('GOLOCAL', listing.listingId);
  const stranger = await scene.api.addPartner();
  for (const partner of [stranger, child]) {
    const review = await partner.call('POST', '/api/sandbox/reviews', { listingId: listing.id, text: 'Mine.' });
    const change = await partner.call('POST', '/api/sandbox/listing-changes', { listingId: listing.id });
    expect([review.code, change.code]).toEqual([404, 404]);
  }
  expect(await scene.control.listing('GOLOCAL', listing.listingId)).toEqual(before);
  const own = await owner.call('POST', '/api/sandbox/listing-changes', { listingId: listing.id, field: 'phone' });
  expect(own.code).toBe(200);
});
