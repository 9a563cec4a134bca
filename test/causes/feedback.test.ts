import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyDelivery } from '../../receiver/verify-delivery.ts';
import { checkEventFields, type EventTypeName } from '../../src/events/catalogue/catalogue.ts';
import type { TestPartner } from '../support/api.ts';
import { type Receiver, startReceiver, startWorker } from '../support/delivery.ts';
import { FeedbackScene } from '../support/feedback.ts';

const types = [
  'LISTING_DATAPOINT_CHECK',
  'LISTING_DATAPOINT_INVALID',
  'DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK',
  'BRAND_DATAPOINT_CHECK',
  'DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID',
] as const;

let scene: FeedbackScene;
let receiver: Receiver;
let worker: { stop(): Promise<void> };
let partner: TestPartner;

beforeAll(async () => {
  scene = await FeedbackScene.open();
  receiver = await startReceiver();
  partner = await scene.api.addPartner();
  for (const type of types) {
    const { code } = await partner.call('POST', '/api/sales-partners/webhooks', {
      pushUrl: receiver.url(`/${type}`),
      type,
    });
    expect(code).toBe(200);
  }
  worker = startWorker(scene.api.services);
});

afterAll(async () => {
  await worker.stop();
  await receiver.close();
  await scene.close();
});

/** The next verified event of a type that matches its schema. */
async function request(type: EventTypeName, count: number) {
  const received = () => receiver.requests.filter((delivery) => delivery.path === `/${type}`);
  await expect.poll(() => received().length).toBe(count);
  const last = received().at(-1);
  const event = verifyDelivery({ body: last?.body, privateKey: partner.privateKey });
  const { id, time, type: actualType, salesPartnerIdentifier, ...fields } = event;
  expect({ actualType, salesPartnerIdentifier }).toEqual({
    actualType: type,
    salesPartnerIdentifier: partner.partner.identifier,
  });
  expect(checkEventFields(type, fields)).toEqual([]);
  return { id, time, ...fields };
}

test('delivers events for a new and a removed review', async () => {
  const location = await scene.addLinkedLocation(partner);
  const review = await scene.review(location);
  await scene.check(location);
  const [datapoint] = await scene.datapoints(location);
  const found = await request('LISTING_DATAPOINT_CHECK', 1);
  expect(found).toMatchObject({ listing: location.listingId, newReviewsFound: 1, newDataPointIds: [datapoint.id] });
  await scene.control.removeDataPoint(location.directory, review.id);
  await scene.check(location);
  const removed = await request('LISTING_DATAPOINT_INVALID', 1);
  expect(removed).toMatchObject({ location: location.locationId, invalidDataPointIds: [datapoint.id] });
});

test('delivers both event types for a comment on a brand page', async () => {
  const businessId = await scene.addBusiness(partner, 'Marke am Markt');
  const page = await scene.control.addBrandPage('FACEBOOK', { name: 'Marke am Markt' });
  const where = { brandPage: page.id };
  const comment = await scene.control.postDataPoint('FACEBOOK', where, { type: 'COMMENT', text: 'Great' });
  await scene.run('brand-pages.discover', { businessId });
  const first = await request('DIRECTORY_BUSINESS_PAGE_DATA_POINT_CHECK', 1);
  const second = await request('BRAND_DATAPOINT_CHECK', 1);
  expect(first).toMatchObject({ business: businessId, newDatapointsFound: true });
  expect(second).toMatchObject({ business: businessId, newCommentsFound: 1 });
  expect(second.id).not.toBe(first.id);
  await scene.control.removeDataPoint('FACEBOOK', comment.id);
  const { rows } = await scene.query('select id from directory_business_pages where business_id = $1', [businessId]);
  await scene.run('datapoints.check-brand-page', { pageId: rows[0].id });
  expect(await request('DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID', 1)).toMatchObject({ business: businessId });
});
