import { invalidField, missingField } from '../../../problems.ts';
import { isDay } from '../../../values/span.ts';
import type { BusinessChangeInput } from './business.ts';

/** The current product plan of a business and the scheduled change. */
export interface PlanState {
  productPlanId: number | null;
  next: { productPlanId: number; effectiveDate: string } | null;
}

/** The product plan fields of a request. Null cancels the scheduled change. */
export type PlanChange = Pick<BusinessChangeInput, 'productPlanId' | 'nextProductPlanId' | 'effectiveDate'>;

export const hasPlanChange = ({ productPlanId, nextProductPlanId, effectiveDate }: PlanChange): boolean =>
  productPlanId !== undefined || nextProductPlanId !== undefined || effectiveDate !== undefined;

/**
 * `productPlanId` applies immediately. With `effectiveDate`, `nextProductPlanId` (or a sole `productPlanId`) applies from
 * that day on; today's date applies immediately.
 */
export function changedPlans(state: PlanState, change: PlanChange, today: string): PlanState {
  const { productPlanId, nextProductPlanId, effectiveDate } = change;
  if (!hasPlanChange(change)) return state;
  const isScheduled =
    productPlanId !== undefined &&
    productPlanId !== state.productPlanId &&
    nextProductPlanId === undefined &&
    typeof effectiveDate === 'string';
  const plan = isScheduled ? state.productPlanId : (productPlanId ?? state.productPlanId);
  const next = scheduledChange(state, isScheduled ? { ...change, nextProductPlanId: productPlanId } : change, today);
  if (next && next.effectiveDate <= today) return { productPlanId: next.productPlanId, next: null };
  if (next?.productPlanId !== plan) return { productPlanId: plan, next };
  if (nextProductPlanId === undefined) return { productPlanId: plan, next: null };
  throw invalidField(
    'nextProductPlanId',
    'different',
    'nextProductPlanId must differ from the current plan. Send null to cancel a scheduled change.',
  );
}

function scheduledChange({ next }: PlanState, change: PlanChange, today: string): PlanState['next'] {
  const { nextProductPlanId: plan = next?.productPlanId, effectiveDate: date = next?.effectiveDate } = change;
  if (change.nextProductPlanId === null) return null;
  if (change.effectiveDate === null && change.nextProductPlanId === undefined) return null;
  if (plan === undefined && date === undefined) return null;
  if (plan === undefined || plan === null) throw missing('nextProductPlanId', 'the plan that starts on effectiveDate');
  if (date === undefined || date === null) throw missing('effectiveDate', 'the day on which nextProductPlanId starts');
  if (date !== next?.effectiveDate) checkDay(date, today);
  return { productPlanId: plan, effectiveDate: date };
}

function checkDay(date: string, today: string): void {
  if (!isDay(date)) {
    throw invalidField('effectiveDate', 'date', `effectiveDate must be a valid date such as 2026-12-31, not ${date}.`);
  }
  if (date < today) throw invalidField('effectiveDate', 'future', `effectiveDate must be ${today} (UTC) or later.`);
}

const missing = (field: string, what: string) => missingField(field, `${field} is required: ${what}.`);
