import { databaseNow } from '../../../database/database-clock.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { defineJob, type JobContext } from '../../../jobs/job.ts';
import { dayOf } from '../../../values/span.ts';
import { findPartner, type Partner, systemActor } from '../../accounts/index.ts';
import type { Business } from './business.ts';
import { claimDuePlanMoves, readBusiness } from './business-store.ts';
import { movePlans } from './change-business.ts';

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
