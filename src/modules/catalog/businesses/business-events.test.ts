import { expect, test } from 'vitest';
import { verifyDelivery } from '../../../../receiver/receiver.ts';
import { DeliveryScene } from '../../../../test/support/delivery-scene.ts';
import { eventually } from '../../../../test/support/loopback-receivers.ts';
import { addPlan } from '../../../../test/support/product-plans.ts';
import { checkEventFields, type EventTypeName } from '../../../events/catalogue/catalogue.ts';

/** Receives the partner's next events of a type, verifies the signature and validates the schema. */
async function listen(scene: DeliveryScene, type: EventTypeName) {
  const receiver = await scene.receiver();
  const { secret } = await scene.webhook(receiver.url(), { type });
  scene.worker();
  return async () => {
    await eventually(() => receiver.requests.length).toBeGreaterThan(0);
    const [{ body, headers } = { body: '', headers: {} }] = receiver.requests;
    const event = verifyDelivery({ body, headers, secret, privateKey: scene.partner.privateKey });
    const { id: _id, time: _time, type: _type, salesPartnerIdentifier, ...fields } = event;
    expect(salesPartnerIdentifier).toBe(scene.partner.partner.identifier);
    expect(checkEventFields(type, fields)).toEqual([]);
    return fields;
  };
}

test('delivers BUSINESS_CREATED for a business created through the API', async () => {
  const scene = await DeliveryScene.open();
  const next = await listen(scene, 'BUSINESS_CREATED');
  const { id } = (await scene.partner.call('POST', '/api/businesses', { name: 'Harbour & Vine Ltd' })).body.response;
  expect(await next()).toEqual({ business: id, comment: 'Harbour & Vine Ltd', changedBy: 'PRIVATE_TOKEN' });
});

test('delivers BUSINESS_PRODUCT_PLAN_CHANGED with the old and the new plan', async () => {
  const scene = await DeliveryScene.open();
  const { partner } = scene;
  const small = await addPlan(partner, { name: 'Presence', price: 2900 });
  const large = await addPlan(partner, { name: 'Presence & Reviews', price: 4900 });
  const business = { name: 'Alpenblick', productPlanId: small.id };
  const { id } = (await partner.call('POST', '/api/businesses', business)).body.response;
  const next = await listen(scene, 'BUSINESS_PRODUCT_PLAN_CHANGED');
  await partner.call('PATCH', `/api/businesses/${id}`, { productPlanId: large.id });
  expect(await next()).toMatchObject({
    business: id,
    oldProductPlanId: small.id,
    oldProductPlanName: 'Presence',
    oldProductPlanPrice: 2900,
    newProductPlanId: large.id,
    newProductPlanName: 'Presence & Reviews',
    newProductPlanPrice: 4900,
    changedBy: 'PRIVATE_TOKEN',
  });
});
