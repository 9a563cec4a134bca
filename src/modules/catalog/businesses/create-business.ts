import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { dayOf } from '../../../values/span.ts';
import type { Actor } from '../../accounts/index.ts';
import type { Business, BusinessInput } from './business.ts';
import { newFacts } from './business-facts.ts';
import { findBusiness, insertBusiness } from './business-store.ts';
import { checkChosenPlans } from './move-plans.ts';
import { changedPlans, type PlanState } from './plan-move.ts';

const noPlans: PlanState = { productPlanId: null, next: null };

export async function createBusiness(
  transaction: Transaction,
  actor: Actor,
  input: BusinessInput,
  now = new Date(),
): Promise<Business> {
  const facts = newFacts(input);
  const plans = changedPlans(noPlans, input, dayOf(now));
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
  await recordAudit(transaction, actor, { action: 'CREATED', subject: 'BUSINESS', subjectId: id });
  return (await findBusiness(transaction, actor.partner.id, id)) as Business;
}
