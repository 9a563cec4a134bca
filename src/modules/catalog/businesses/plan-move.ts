import { type FieldError, invalidField, Problem } from '../../../problems.ts';
import { isDay } from '../../../values/days.ts';

/** Which product plan a business has, and which it has agreed to move to. */
export interface PlanState {
  productPlanId: number | null;
  next: { productPlanId: number; effectiveDate: string } | null;
}

/** What a request says about product plans; null deletes. */
export interface PlanChange {
  productPlanId?: number;
  nextProductPlanId?: number | null;
  effectiveDate?: string | null;
}

export const namesPlan = ({ productPlanId, nextProductPlanId, effectiveDate }: PlanChange): boolean =>
  productPlanId !== undefined || nextProductPlanId !== undefined || effectiveDate !== undefined;

/**
 * A plan without a date is had at once. With `effectiveDate` it is had from that day on: `nextProductPlanId`, or
 * `productPlanId` when that is the only one given. A day that has come is now; null cancels what was planned.
 */
export function changedPlans(state: PlanState, change: PlanChange, today: string): PlanState {
  const { productPlanId, nextProductPlanId, effectiveDate } = change;
  if (!namesPlan(change)) return state;
  const isPutOff =
    productPlanId !== undefined &&
    productPlanId !== state.productPlanId &&
    nextProductPlanId === undefined &&
    typeof effectiveDate === 'string';
  const plan = isPutOff ? state.productPlanId : (productPlanId ?? state.productPlanId);
  const next = plannedMove(state, isPutOff ? { ...change, nextProductPlanId: productPlanId } : change, today);
  if (next && next.effectiveDate <= today) return { productPlanId: next.productPlanId, next: null };
  if (next?.productPlanId !== plan) return { productPlanId: plan, next };
  if (nextProductPlanId === undefined) return { productPlanId: plan, next: null };
  throw invalidField(
    'nextProductPlanId',
    'different',
    'nextProductPlanId must be another plan than the one it has. To cancel a planned change give null.',
  );
}

function plannedMove({ next }: PlanState, change: PlanChange, today: string): PlanState['next'] {
  const { nextProductPlanId: plan = next?.productPlanId, effectiveDate: date = next?.effectiveDate } = change;
  if (change.nextProductPlanId === null) return null;
  if (change.effectiveDate === null && change.nextProductPlanId === undefined) return null;
  if (plan === undefined && date === undefined) return null;
  if (plan === undefined || plan === null) throw missing('nextProductPlanId', 'the plan that begins on effectiveDate');
  if (date === undefined || date === null) throw missing('effectiveDate', 'the day on which nextProductPlanId begins');
  if (date !== next?.effectiveDate) checkDay(date, today);
  return { productPlanId: plan, effectiveDate: date };
}

function checkDay(date: string, today: string): void {
  if (!isDay(date)) {
    throw invalidField('effectiveDate', 'date', `effectiveDate must be a day of the calendar, not ${date}.`);
  }
  if (date < today) throw invalidField('effectiveDate', 'future', `effectiveDate must be ${today} (UTC) or later.`);
}

const missing = (field: string, what: string) =>
  new Problem('MISSING_PARAMETER', {
    errors: [{ field, rule: 'required', message: `${field} is required: ${what}.` } satisfies FieldError],
  });
