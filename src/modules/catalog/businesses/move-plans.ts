import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import { Problem, unknownReference } from '../../../problems.ts';
import type { Actor } from '../../accounts/index.ts';
import type { ProductPlan } from '../product-plans/product-plan.ts';
import { findProductPlan, holdProductPlan } from '../product-plans/product-plan-store.ts';
import type { Business } from './business.ts';
import { updatePlans } from './business-store.ts';
import type { PlanState } from './plan-move.ts';

export const plansOf = ({ productPlan, nextProductPlanId, effectiveDate }: Business): PlanState => ({
  productPlanId: productPlan?.id ?? null,
  next:
    nextProductPlanId === null || effectiveDate === null ? null : { productPlanId: nextProductPlanId, effectiveDate },
});

/** Only active plans can be chosen. The current and the scheduled plan of the business are always allowed. */
export async function checkChosenPlans(
  transaction: Transaction,
  partnerId: number,
  before: PlanState,
  chosen: PlanState,
): Promise<void> {
  const existing = [before.productPlanId, before.next?.productPlanId];
  const choices = [
    ['productPlanId', chosen.productPlanId],
    ['nextProductPlanId', chosen.next?.productPlanId],
  ] as const;
  for (const [field, id] of choices) {
    if (typeof id !== 'number' || existing.includes(id)) continue;
    const plan = await holdProductPlan(transaction, partnerId, id);
    if (!plan) throw unknownReference(field, `product plan ${id}`);
    if (plan.status !== 'ACTIVE') {
      throw new Problem('CONFLICT', {
        message: `${field}: product plan ${id} (${plan.name}) is ${plan.status}. Choose an ACTIVE plan.`,
      });
    }
  }
}

/** Records an event if the plan changes. The first plan of a business is not a change. */
export async function movePlans(
  transaction: Transaction,
  actor: Actor,
  business: Business,
  plans: PlanState,
  occasion = '',
): Promise<void> {
  await updatePlans(transaction, business.id, plans);
  const { productPlan: old } = business;
  if (old === null || plans.productPlanId === null || plans.productPlanId === old.id) return;
  const plan = (await findProductPlan(transaction, actor.partner.id, plans.productPlanId)) as ProductPlan;
  await recordEvent(transaction, {
    partner: actor.partner,
    type: 'BUSINESS_PRODUCT_PLAN_CHANGED',
    fields: {
      business: business.id,
      comment: `${business.name} moved from ${old.name} to ${plan.name}${occasion}`,
      newProductPlanId: plan.id,
      newProductPlanName: plan.name,
      newProductPlanPrice: plan.price,
      oldProductPlanId: old.id,
      oldProductPlanName: old.name,
      oldProductPlanPrice: old.price,
      changedBy: actor.by,
    },
  });
}
