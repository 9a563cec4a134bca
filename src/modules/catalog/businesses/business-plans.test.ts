import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestApi, type TestPartner } from '../../../../test/support/api.ts';
import { jobContext, runJobs } from '../../../../test/support/jobs.ts';
import { addPlan } from '../../../../test/support/product-plans.ts';
import { eventsOf } from '../../../../test/support/recorded-events.ts';
import { addUser } from '../../../../test/support/users.ts';
import { Job } from '../../../jobs/job.ts';
import { applyDuePlanMoves, businessJobs, changeBusiness } from './change-business.ts';

let api: TestApi;
let partner: TestPartner;
// biome-ignore lint/suspicious/noExplicitAny: responses of different shapes
let small: any;
// biome-ignore lint/suspicious/noExplicitAny: responses of different shapes
let large: any;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

beforeEach(async () => {
  partner = await api.addPartner();
  small = await addPlan(partner, { name: 'Presence', price: 2900 });
  large = await addPlan(partner, { name: 'Presence & Reviews', price: 4900 });
});

const create = async (body: object = {}) =>
  (await partner.call('POST', '/api/businesses', { name: 'Alpenblick', productPlanId: small.id, ...body })).body
    .response;
const patch = (id: number, body: object) => partner.call('PATCH', `/api/businesses/${id}`, body);
const read = async (id: number) => (await partner.call('GET', `/api/businesses/${id}`)).body.response;
const recordedEvents = () => eventsOf(api.database, partner, 'BUSINESS_PRODUCT_PLAN_CHANGED');

const tomorrow = new Date(Date.now() + 86_400_000);
const dayAfter = new Date(Date.now() + 2 * 86_400_000);
const day = (moment: Date) => moment.toISOString().slice(0, 10);

const move = (business: { id: number; name: string }, changedBy: string, occasion = '') => ({
  business: business.id,
  comment: `${business.name} moved from Presence to Presence & Reviews${occasion}`,
  newProductPlanId: large.id,
  newProductPlanName: 'Presence & Reviews',
  newProductPlanPrice: 4900,
  oldProductPlanId: small.id,
  oldProductPlanName: 'Presence',
  oldProductPlanPrice: 2900,
  changedBy,
});

describe('immediate plan changes', () => {
  test('records an event with both plans and the author', async () => {
    const business = await create();
    const user = await addUser(api, partner, { role: 'ADMIN', email: 'vogt@alpenblick.example' });
    const response = await user.call('PATCH', `/api/businesses/${business.id}`, { productPlanId: large.id });
    expect(response.body.response.productPlan).toMatchObject({ id: large.id, name: 'Presence & Reviews', price: 4900 });
    expect(await recordedEvents()).toEqual([move(business, 'vogt@alpenblick.example')]);
  });

  test('records no event for an unchanged plan or the first plan', async () => {
    const business = await create();
    await patch(business.id, { productPlanId: small.id, name: 'Alpenblick Hotels' });
    const without = await create({ productPlanId: null });
    expect((await patch(without.id, { productPlanId: small.id })).body.response.productPlanId).toBe(small.id);
    expect(await recordedEvents()).toEqual([]);
  });

  test('rejects an inactive plan and keeps the current one', async () => {
    const business = await create();
    await partner.call('PATCH', `/api/product-plans/${large.id}`, { status: 'INACTIVE' });
    expect(await patch(business.id, { productPlanId: large.id })).toMatchObject({ code: 409 });
    expect((await read(business.id)).productPlanId).toBe(small.id);
    expect(await recordedEvents()).toEqual([]);
  });

  test('records no event if the change is rolled back', async () => {
    const business = await create();
    const actor = { partner: partner.partner, by: 'PRIVATE_TOKEN' };
    const failing = api.database.transaction(async (transaction) => {
      await changeBusiness(transaction, actor, business.id, { productPlanId: large.id });
      throw new Error('and then something failed');
    });
    await expect(failing).rejects.toThrow('something failed');
    expect((await read(business.id)).productPlanId).toBe(small.id);
    expect(await recordedEvents()).toEqual([]);
  });

  test('an invalid field prevents the plan change', async () => {
    const business = await create();
    expect((await patch(business.id, { productPlanId: large.id, phone: '12' })).code).toBe(400);
    expect(await read(business.id)).toEqual(business);
    expect(await recordedEvents()).toEqual([]);
  });

  test('concurrent changes are serialized: each event starts from the previous plan', async () => {
    const business = await create();
    await Promise.all([
      patch(business.id, { productPlanId: large.id }),
      patch(business.id, { productPlanId: small.id }),
      patch(business.id, { productPlanId: large.id }),
      patch(business.id, { productPlanId: small.id }),
    ]);
    const moves = await recordedEvents();
    let at = small.id;
    for (const { oldProductPlanId, newProductPlanId } of moves) {
      expect(oldProductPlanId).toBe(at);
      expect(newProductPlanId).not.toBe(at);
      at = newProductPlanId;
    }
    expect((await read(business.id)).productPlanId).toBe(at);
  });
});

describe('scheduled plan changes', () => {
  const plan = (id: number, date = day(tomorrow)) => patch(id, { nextProductPlanId: large.id, effectiveDate: date });

  test('changes the plan once on the effective date, as SYSTEM', async () => {
    const business = await create();
    expect((await plan(business.id)).body.response).toMatchObject({
      productPlanId: small.id,
      nextProductPlanId: large.id,
      effectiveDate: day(tomorrow),
    });
    expect(await applyDuePlanMoves(jobContext(api.database), new Date())).toBe(0);
    expect(await recordedEvents()).toEqual([]);
    expect(await applyDuePlanMoves(jobContext(api.database), tomorrow)).toBe(1);
    expect(await applyDuePlanMoves(jobContext(api.database), tomorrow)).toBe(0);
    const after = await read(business.id);
    expect(after.productPlanId).toBe(large.id);
    expect(after).not.toHaveProperty('nextProductPlanId');
    expect(after).not.toHaveProperty('effectiveDate');
    expect(await recordedEvents()).toEqual([move(business, 'SYSTEM', `, as scheduled for ${day(tomorrow)}`)]);
  });

  test("today's date applies immediately", async () => {
    const business = await create();
    const response = await plan(business.id, day(new Date()));
    expect(response.body.response.productPlanId).toBe(large.id);
    expect(await recordedEvents()).toEqual([move(business, 'PRIVATE_TOKEN')]);
  });

  test('concurrent workers change each business once', async () => {
    const businesses = [];
    for (let index = 0; index < 8; index++) businesses.push(await create({ name: `Hotel ${index}` }));
    for (const { id } of businesses) await plan(id);
    const moved = await Promise.all(
      Array.from({ length: 4 }, () => applyDuePlanMoves(jobContext(api.database), tomorrow)),
    );
    while ((await applyDuePlanMoves(jobContext(api.database), tomorrow)) > 0);
    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(8);
    expect(await recordedEvents()).toHaveLength(8);
    expect(new Set((await recordedEvents()).map(({ business }) => business)).size).toBe(8);
  });

  test('many changes of a partner that is being moved do not delay others', async () => {
    const { pool } = api.database;
    const moving = partner.partner.id;
    const { id: delayed } = await create();
    await plan(delayed);
    await pool.query(
      `insert into businesses (partner_id, name, status, product_plan_id, next_product_plan_id, effective_date)
       select partner_id, name || number, status, product_plan_id, next_product_plan_id, effective_date
       from businesses, generate_series(1, 50) as number where id = $1`,
      [delayed],
    );
    await pool.query(
      'insert into partner_moves (partner_id, partner_ids, target_cell) values ($1::bigint, array[$1::bigint], 1)',
      [moving],
    );
    partner = await api.addPartner();
    small = await addPlan(partner, { name: 'Presence', price: 2900 });
    large = await addPlan(partner, { name: 'Presence & Reviews', price: 4900 });
    await plan((await create()).id);
    expect(await applyDuePlanMoves(jobContext(api.database), tomorrow)).toBe(1);
    await pool.query('delete from partner_moves');
    expect(await applyDuePlanMoves(jobContext(api.database), tomorrow)).toBe(51);
  });

  test('does not apply a cancelled or postponed change', async () => {
    const cancelled = await create();
    await plan(cancelled.id);
    expect((await patch(cancelled.id, { nextProductPlanId: null })).body.response).not.toHaveProperty('effectiveDate');
    const putOff = await create();
    await plan(putOff.id);
    await patch(putOff.id, { effectiveDate: day(dayAfter) });
    await applyDuePlanMoves(jobContext(api.database), tomorrow);
    expect(await recordedEvents()).toEqual([]);
    expect((await read(putOff.id)).effectiveDate).toBe(day(dayAfter));
  });

  test('applies a scheduled change even if the plan became inactive', async () => {
    const business = await create();
    await plan(business.id);
    await partner.call('PATCH', `/api/product-plans/${large.id}`, { status: 'INACTIVE' });
    await applyDuePlanMoves(jobContext(api.database), tomorrow);
    expect((await read(business.id)).productPlanId).toBe(large.id);
  });

  test('does not change the plan of a deleted business', async () => {
    const business = await create();
    await plan(business.id);
    await partner.call('DELETE', `/api/businesses/${business.id}`);
    expect(await applyDuePlanMoves(jobContext(api.database), tomorrow)).toBe(0);
    expect(await recordedEvents()).toEqual([]);
  });

  test('the scheduled job applies due changes', async () => {
    const business = await create();
    await plan(business.id);
    await api.database.pool.query('update businesses set effective_date = current_date - 1 where id = $1', [
      business.id,
    ]);
    await new Job(businessJobs[0]?.name ?? '').enqueue(api.database.pool, {});
    await runJobs(api.database);
    expect((await read(business.id)).productPlanId).toBe(large.id);
    expect(await recordedEvents()).toHaveLength(1);
  });
});
