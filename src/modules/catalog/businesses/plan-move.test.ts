import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedPlans, type PlanChange, type PlanState } from './business.ts';

const today = '2026-11-15';
const onPlan = (productPlanId: number | null, next: PlanState['next'] = null): PlanState => ({ productPlanId, next });
const planned = { productPlanId: 2, effectiveDate: '2026-12-01' };

test.each<[string, PlanState, PlanChange, PlanState]>([
  ['a first plan', onPlan(null), { productPlanId: 1 }, onPlan(1)],
  ['another plan at once', onPlan(1), { productPlanId: 2 }, onPlan(2)],
  ['the same plan', onPlan(1), { productPlanId: 1 }, onPlan(1)],
  ['a plan for later', onPlan(1), { nextProductPlanId: 2, effectiveDate: '2026-12-01' }, onPlan(1, planned)],
  ['schedules a sole productPlanId', onPlan(1), { productPlanId: 2, effectiveDate: '2026-12-01' }, onPlan(1, planned)],
  ['a plan for a day that has come', onPlan(1), { nextProductPlanId: 2, effectiveDate: today }, onPlan(2)],
  [
    'one plan now and one later',
    onPlan(1),
    { productPlanId: 3, nextProductPlanId: 2, effectiveDate: '2026-12-01' },
    onPlan(3, planned),
  ],
  ['cancelling by the plan', onPlan(1, planned), { nextProductPlanId: null }, onPlan(1)],
  ['cancelling by the day', onPlan(1, planned), { effectiveDate: null }, onPlan(1)],
  [
    'another day for the scheduled plan',
    onPlan(1, planned),
    { effectiveDate: '2027-01-01' },
    onPlan(1, { ...planned, effectiveDate: '2027-01-01' }),
  ],
  [
    'another plan for the same day',
    onPlan(1, planned),
    { nextProductPlanId: 3 },
    onPlan(1, { ...planned, productPlanId: 3 }),
  ],
  ['another plan now keeps the scheduled change', onPlan(1, planned), { productPlanId: 3 }, onPlan(3, planned)],
  ['the planned plan at once leaves nothing planned', onPlan(1, planned), { productPlanId: 2 }, onPlan(2)],
  [
    'a response sent back unchanged',
    onPlan(1, planned),
    { productPlanId: 1, nextProductPlanId: 2, effectiveDate: '2026-12-01' },
    onPlan(1, planned),
  ],
  ['nothing about plans', onPlan(1, planned), {}, onPlan(1, planned)],
])('%s', (_what, state, change, expected) => {
  expect(changedPlans(state, change, today)).toEqual(expected);
});

describe('rejects', () => {
  test.each<[string, PlanState, PlanChange, string]>([
    ['a day that has passed', onPlan(1), { nextProductPlanId: 2, effectiveDate: '2026-11-14' }, 'effectiveDate'],
    [
      'a day that is not in the calendar',
      onPlan(1),
      { nextProductPlanId: 2, effectiveDate: '2027-02-30' },
      'effectiveDate',
    ],
    ['a plan without its day', onPlan(1), { nextProductPlanId: 2 }, 'effectiveDate'],
    ['a day without its plan', onPlan(1), { effectiveDate: '2026-12-01' }, 'nextProductPlanId'],
    [
      'the plan that it has, for later',
      onPlan(1),
      { nextProductPlanId: 1, effectiveDate: '2026-12-01' },
      'nextProductPlanId',
    ],
  ])('%s', (_what, state, change, field) => {
    expect(() => changedPlans(state, change, today)).toThrow(
      expect.objectContaining({ httpCode: 400, errors: [expect.objectContaining({ field })] }),
    );
  });
});

test('a scheduled change is always to another plan and on a future day', () => {
  const plan = fc.integer({ min: 1, max: 3 });
  const day = fc.constantFrom('2026-11-14', today, '2026-11-16', '2027-06-01');
  const state = fc.record({
    productPlanId: fc.option(plan),
    next: fc.option(fc.record({ productPlanId: plan, effectiveDate: fc.constantFrom('2026-11-16', '2027-06-01') })),
  });
  const change = fc.record(
    { productPlanId: plan, nextProductPlanId: fc.option(plan), effectiveDate: fc.option(day) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(state, change, (before, wanted) => {
      fc.pre(before.next?.productPlanId !== before.productPlanId);
      let after: PlanState;
      try {
        after = changedPlans(before, wanted, today);
      } catch (error) {
        expect(error).toMatchObject({ httpCode: 400 });
        return;
      }
      if (!after.next) return;
      expect(after.next.productPlanId).not.toBe(after.productPlanId);
      expect(after.next.effectiveDate > today).toBe(true);
    }),
  );
});
