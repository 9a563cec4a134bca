import type { Sql } from '../../database/connection.ts';
import { findBusiness } from '../businesses/business-store.ts';
import type { Directory } from '../directories/directory.ts';
import { findProductPlan } from '../product-plans/product-plan-store.ts';

/** The directories that the plan of a business includes; without a plan, or without a choice in it, all of them. */
export async function coveredDirectories(
  sql: Sql,
  partnerId: number,
  businessId: number,
  directories: readonly Directory[],
): Promise<readonly Directory[]> {
  const business = await findBusiness(sql, partnerId, businessId);
  const plan = business?.productPlan && (await findProductPlan(sql, partnerId, business.productPlan.id));
  if (!plan || plan.directoryTypes.length === 0) return directories;
  return directories.filter(({ type }) => plan.directoryTypes.includes(type));
}
