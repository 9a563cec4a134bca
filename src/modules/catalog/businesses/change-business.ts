import type { Transaction } from '../../../database/transaction.ts';
import { Hook } from '../../../hook.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { notFound, Problem } from '../../../problems.ts';
import { dayOf } from '../../../values/span.ts';
import { type Actor, requireAccountManager } from '../../accounts/index.ts';
import type { Business, BusinessChangeInput } from './business.ts';
import { changedFacts } from './business-facts.ts';
import { findBusiness, lockBusiness, markBusinessDeleted, setBusinessStatus, updateFacts } from './business-store.ts';
import { checkChosenPlans, movePlans, plansOf } from './move-plans.ts';
import { changedPlans, hasPlanChange } from './plan-move.ts';

/** Records an event if the product plan changes. */
export async function changeBusiness(
  transaction: Transaction,
  actor: Actor,
  id: number,
  change: BusinessChangeInput,
  now = new Date(),
): Promise<Business> {
  const partnerId = actor.partner.id;
  const business = await lockedBusiness(transaction, partnerId, id, 'change');
  await updateFacts(transaction, id, changedFacts(business, change));
  if (hasPlanChange(change)) {
    const before = plansOf(business);
    const plans = changedPlans(before, change, dayOf(now));
    if (JSON.stringify(plans) !== JSON.stringify(before)) {
      requireAccountManager(actor, 'To change the product plan of a business');
      await checkChosenPlans(transaction, partnerId, before, plans);
      await movePlans(transaction, actor, business, plans);
    }
  }
  if (change.status !== undefined && change.status !== business.status) {
    requireAccountManager(actor, 'To change the status of a business');
    if (business.status !== 'CREATED') throw cannotBecome(business, change.status);
    await activateBusiness(transaction, partnerId, id);
  }
  await recordAudit(transaction, actor, {
    action: 'CHANGED',
    subject: 'BUSINESS',
    subjectId: id,
    details: { fields: Object.keys(change) },
  });
  return (await findBusiness(transaction, partnerId, id)) as Business;
}

export async function activateBusiness(transaction: Transaction, partnerId: number, id: number): Promise<void> {
  await setBusinessStatus(transaction, partnerId, id, { from: ['CREATED'], to: 'ACTIVE' });
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
  await recordAudit(transaction, actor, {
    action: 'DELETED',
    subject: 'BUSINESS',
    subjectId: id,
    details: { name: business.name },
  });
}

export const businessNotFound = (id: number) => notFound(`business ${id}`);

async function lockedBusiness(
  transaction: Transaction,
  partnerId: number,
  id: number,
  purpose: 'change' | 'delete',
): Promise<Business> {
  const business = await lockBusiness(transaction, partnerId, id, purpose);
  if (!business) throw businessNotFound(id);
  if (business.status === 'DELETED') {
    throw new Problem('CONFLICT', { message: `Business ${id} is deleted and cannot be changed.` });
  }
  return business;
}

const cannotBecome = ({ id, status }: Business, to: string) =>
  new Problem('CONFLICT', {
    message: `Business ${id} is ${status} and cannot become ${to}. Only CREATED can become ACTIVE. Delete a business with DELETE /api/businesses/${id}.`,
  });
