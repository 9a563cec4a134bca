import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../../database/connection.ts';
import { databaseNow } from '../../../database/database-clock.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import { Hook } from '../../../hook.ts';
import { reaches, reachOf, requireAccountManager } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { defineJob, type JobContext } from '../../../jobs/job.ts';
import { conflict, Problem, requireFound, unknownReference } from '../../../problems.ts';
import { dayOf } from '../../../values/span.ts';
import { type Actor, findPartner, type Partner, systemActor } from '../../accounts/index.ts';
import type { ProductPlan } from '../product-plans/product-plan.ts';
import { findProductPlan } from '../product-plans/product-plan-store.ts';
import {
  type Business,
  type BusinessChangeInput,
  type BusinessInput,
  changedFacts,
  changedPlans,
  newFacts,
  type PlanState,
} from './business.ts';
import {
  activateBusiness,
  claimDuePlanMoves,
  findBusiness,
  insertBusiness,
  lockBusiness,
  markBusinessDeleted,
  readBusiness,
  updateFacts,
  updatePlans,
} from './business-store.ts';

const noPlans: PlanState = { productPlanId: null, next: null };

export async function createBusiness(transaction: Transaction, actor: Actor, input: BusinessInput): Promise<Business> {
  const facts = newFacts(input);
  const plans = changedPlans(noPlans, input, dayOf(new Date()));
  await checkChosenPlans(transaction, actor.partner.id, noPlans, plans);
  const id = await insertBusiness(transaction, actor.partner.id, facts, plans);
  await recordEvent(transaction, {
    partner: actor.partner,
    type: 'BUSINESS_CREATED',
    fields: {
      business: id,
      comment: [facts.name, facts.city].filter((part) => part !== null).join(', '),
      changedBy: actor.by,
    },
  });
  await recordAudit(transaction, actor, 'CREATED', 'BUSINESS', id);
  return (await findBusiness(transaction, actor.partner.id, id)) as Business;
}

/** Records an event if the product plan changes. */
export async function changeBusiness(transaction: Transaction, actor: Actor, id: number, change: BusinessChangeInput) {
  const partnerId = actor.partner.id;
  const business = await lockedBusiness(transaction, partnerId, id, 'change');
  await updateFacts(transaction, id, changedFacts(business, change));
  const before = plansOf(business);
  const plans = changedPlans(before, change, dayOf(new Date()));
  if (!isDeepStrictEqual(plans, before)) {
    requireAccountManager(actor, 'To change the product plan of a business');
    await checkChosenPlans(transaction, partnerId, before, plans);
    await movePlans(transaction, actor, business, plans);
  }
  if (change.status !== undefined && change.status !== business.status) {
    requireAccountManager(actor, 'To change the status of a business');
    if (business.status !== 'CREATED') throw cannotBecome(business, change.status);
    await activateBusiness(transaction, partnerId, id);
  }
  await recordAudit(transaction, actor, 'CHANGED', 'BUSINESS', id, { fields: Object.keys(change) });
  return (await findBusiness(transaction, partnerId, id)) as Business;
}

/** Runs in the transaction that deletes the business; a handler that throws prevents the deletion. */
export const businessDeleted = new Hook<(transaction: Transaction, businessId: number) => Promise<void>>(
  'businessDeleted',
);

/** Keeps the row: events and the audit log refer to it. */
export async function deleteBusiness(transaction: Transaction, actor: Actor, id: number): Promise<void> {
  const business = await lockedBusiness(transaction, actor.partner.id, id, 'delete');
  await businessDeleted.run(transaction, id);
  await markBusinessDeleted(transaction, id);
  await recordAudit(transaction, actor, 'DELETED', 'BUSINESS', id, { name: business.name });
}

/** The business that a request refers to; it must exist and be within reach. */
export async function requireBusiness(sql: Sql, caller: Caller, businessId: number): Promise<Business> {
  const isVisible = reaches(reachOf(caller), { businessId });
  const business = isVisible && (await findBusiness(sql, caller.partnerId, businessId));
  if (!business) throw unknownReference('businessId', `business ${businessId}`);
  return business;
}

async function lockedBusiness(transaction: Transaction, partnerId: number, id: number, purpose: 'change' | 'delete') {
  const business = requireFound(await lockBusiness(transaction, partnerId, id, purpose), `business ${id}`);
  if (business.status === 'DELETED') {
    throw new Problem('CONFLICT', { message: `Business ${id} is deleted and cannot be changed.` });
  }
  return business;
}

const cannotBecome = ({ id, status }: Business, to: string) =>
  new Problem('CONFLICT', {
    message: `Business ${id} is ${status} and cannot become ${to}. Only CREATED can become ACTIVE. Delete a business with DELETE /api/businesses/${id}.`,
  });

const plansOf = ({ productPlan, nextProductPlanId, effectiveDate }: Business): PlanState => ({
  productPlanId: productPlan?.id ?? null,
  next:
    nextProductPlanId === null || effectiveDate === null ? null : { productPlanId: nextProductPlanId, effectiveDate },
});

/** Only active plans can be chosen. The current and the scheduled plan of the business are always allowed. */
async function checkChosenPlans(transaction: Transaction, partnerId: number, before: PlanState, chosen: PlanState) {
  const existing = [before.productPlanId, before.next?.productPlanId];
  const choices = [
    ['productPlanId', chosen.productPlanId],
    ['nextProductPlanId', chosen.next?.productPlanId],
  ] as const;
  for (const [field, id] of choices) {
    if (typeof id !== 'number' || existing.includes(id)) continue;
    const plan = await findProductPlan(transaction, partnerId, id, 'for share');
    if (!plan) throw unknownReference(field, `product plan ${id}`);
    if (plan.status !== 'ACTIVE') {
      const message = `${field}: product plan ${id} (${plan.name}) is ${plan.status}. Choose an ACTIVE plan.`;
      throw conflict(field, 'status', message);
    }
  }
}

/** Records an event if the plan changes. The first plan of a business is not a change. */
async function movePlans(transaction: Transaction, actor: Actor, business: Business, plans: PlanState, occasion = '') {
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

const batchSize = 50;

/** Applies scheduled plan changes that are due, including changes to plans that are no longer active. */
export async function applyDuePlanMoves({ database, log, signal }: JobContext, now?: Date): Promise<number> {
  const today = dayOf(now ?? (await databaseNow(database.pool)));
  let moved = 0;
  while (!signal.aborted) {
    const claimed = await database.transaction(async (transaction) => {
      const due = await claimDuePlanMoves(transaction, today, batchSize);
      for (const { id, partnerId } of due) {
        const actor = systemActor((await findPartner(transaction, partnerId, partnerId)) as Partner);
        const business = (await readBusiness(transaction, partnerId, id)) as Business;
        const plans = { productPlanId: business.nextProductPlanId, next: null };
        await movePlans(transaction, actor, business, plans, `, as scheduled for ${business.effectiveDate}`);
        await recordAudit(transaction, actor, 'PRODUCT_PLAN_CHANGED', 'BUSINESS', id, {
          productPlanId: plans.productPlanId,
        });
      }
      return due.length;
    });
    moved += claimed;
    if (claimed < batchSize) break;
  }
  if (moved > 0) log.info({ event: 'businesses.plans-moved', moved });
  return moved;
}

export const businessJobs = [
  defineJob('businesses.apply-product-plans', { schedule: '*/5 * * * *' }).implement((_, context) =>
    applyDuePlanMoves(context),
  ),
];
