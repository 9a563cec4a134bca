import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyDelivery } from '../../receiver/receiver.ts';
import { checkEventFields, type EventTypeName } from '../../src/events/catalogue/catalogue.ts';
import type { TestPartner } from '../support/api.ts';
import { type Receiver, startReceiver, startWorker } from '../support/delivery.ts';
import { ListingScene } from '../support/listings.ts';
import { eventually } from '../support/loopback-receivers.ts';
import { addPlan } from '../support/product-plans.ts';

/** End to end: from a cause through the platform and the sandbox to a verifying receiver. See also feedback.test.ts. */

const types: EventTypeName[] = [
  'BUSINESS_CREATED',
  'BUSINESS_PRODUCT_PLAN_CHANGED',
  'LOCATION_CREATED',
  'LOCATION_PROFILE_CHANGED',
  'LOCATION_STATUS_CHANGED',
  'LOCATION_DATA_SUGGESTION',
  'LISTING_SYNC_CHECK',
  'LISTING_UPDATE',
  'LISTING_LINK_CHANGE',
  'LISTING_STATUS_CHANGE',
];

let scene: ListingScene;
let partner: TestPartner;
let receiver: Receiver;
let worker: { stop(): Promise<void> };
const secrets = new Map<string, string>();

beforeAll(async () => {
  scene = await ListingScene.open();
  partner = await scene.api.addPartner();
  receiver = await startReceiver();
  worker = startWorker(scene.api.services);
  for (const type of types) {
    const { body } = await partner.call('POST', '/api/sales-partners/webhooks', {
      type,
      pushUrl: receiver.url(`/${type}`),
    });
    secrets.set(type, body.response.secret);
  }
});

afterAll(async () => {
  await worker.stop();
  await receiver.close();
  await scene.close();
});

/** The next verified event of a type. */
async function receiveEvent(type: EventTypeName, cause: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const path = `/${type}`;
  const received = () => receiver.requests.filter((request) => request.path === path);
  const before = received().length;
  await cause();
  await eventually(() => received().length).toBeGreaterThan(before);
  const { body, headers } = received()[before] ?? { body: '', headers: {} };
  const event = verifyDelivery({ body, headers, secret: secrets.get(type) ?? '', privateKey: partner.privateKey });
  const { id, time, type: actualType, salesPartnerIdentifier, ...fields } = event as unknown as Record<string, unknown>;
  expect({ id, time, said: actualType, salesPartnerIdentifier }).toEqual({
    id: expect.any(Number),
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
    said: type,
    salesPartnerIdentifier: partner.partner.identifier,
  });
  expect(checkEventFields(type, fields)).toEqual([]);
  return fields;
}

const patch = (path: string, body: object) => partner.call('PATCH', path, body);

test('delivers BUSINESS_CREATED and BUSINESS_PRODUCT_PLAN_CHANGED for API calls', async () => {
  const [small, large] = [await addPlan(partner, { price: 1000 }), await addPlan(partner, { price: 2000 })];
  let business = 0;
  const created = await receiveEvent('BUSINESS_CREATED', async () => {
    const { body } = await partner.call('POST', '/api/businesses', { name: 'Alpenblick', productPlanId: small.id });
    business = body.response.id;
  });
  expect(created).toMatchObject({ business, changedBy: 'PRIVATE_TOKEN' });
  const changed = await receiveEvent('BUSINESS_PRODUCT_PLAN_CHANGED', () =>
    patch(`/api/businesses/${business}`, { productPlanId: large.id }),
  );
  expect(changed).toMatchObject({ business, oldProductPlanPrice: 1000, newProductPlanPrice: 2000 });
});

test('delivers LOCATION_CREATED, LOCATION_PROFILE_CHANGED and LOCATION_STATUS_CHANGED for API calls', async () => {
  let location = { id: 0 };
  const created = await receiveEvent('LOCATION_CREATED', async () => {
    location = await scene.addLocation(partner, ['BING']);
  });
  expect(created).toMatchObject({ location: location.id, source: 'API' });
  const changed = await receiveEvent('LOCATION_PROFILE_CHANGED', () =>
    patch(`/api/locations/${location.id}`, { descriptionShort: 'Bread since 1902' }),
  );
  expect(changed).toMatchObject({ location: location.id, comment: expect.stringContaining('descriptionShort') });
  const statusChanged = await receiveEvent('LOCATION_STATUS_CHANGED', () => scene.sync(partner, location.id));
  expect(statusChanged).toMatchObject({ location: location.id, from: 'CREATED', to: 'ACTIVE' });
});

test('delivers LISTING_SYNC_CHECK, LISTING_UPDATE, LISTING_LINK_CHANGE and LISTING_STATUS_CHANGE for syncs and user changes', async () => {
  const location = await scene.addLocation(partner, ['BING']);
  await scene.addDirectoryListing(partner, location.id, 'BING', { phone: '+492211111133' });
  const checked = await receiveEvent('LISTING_SYNC_CHECK', () => scene.sync(partner, location.id));
  expect(checked).toMatchObject({ location: location.id, directoryType: 'BING' });
  const updated = await receiveEvent('LISTING_UPDATE', async () => {
    await patch(`/api/locations/${location.id}`, { phone: '+492211111144' });
    await scene.runJobs({ early: true });
  });
  expect(updated).toMatchObject({ location: location.id, directoryType: 'BING' });
  const { id } = await scene.listing(partner, location.id, 'BING');
  const linked = await receiveEvent('LISTING_LINK_CHANGE', async () => {
    const page = await scene.addDirectoryListing(partner, location.id, 'BING');
    const response = await patch(`/api/listings/${id}`, { listingId: page });
    expect(response.body).toMatchObject({ status: 'SUCCESS' });
    await scene.runJobs();
  });
  expect(linked).toMatchObject({ listing: id, location: location.id });
  const statusChanged = await receiveEvent('LISTING_STATUS_CHANGE', () =>
    patch(`/api/listings/${id}`, { flowStatus: 'MANUALLY_DEACTIVATED' }),
  );
  expect(statusChanged).toMatchObject({
    listing: id,
    toListingFlowStatus: 'MANUALLY_DEACTIVATED',
    user: 'PRIVATE_TOKEN',
  });
});

test('delivers LOCATION_DATA_SUGGESTION when a directory shows other data', async () => {
  const location = await scene.addLocation(partner, ['BING']);
  const page = await scene.addDirectoryListing(partner, location.id, 'BING');
  await scene.sync(partner, location.id);
  await scene.control.changeListing('BING', page, { profile: { phone: '+492211111122' } });
  const suggested = await receiveEvent('LOCATION_DATA_SUGGESTION', () => scene.sync(partner, location.id));
  expect(suggested).toMatchObject({ location: location.id, directoryType: 'BING', fields: ['phone'] });
});
