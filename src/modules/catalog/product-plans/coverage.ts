import type { Sql } from '../../../database/connection.ts';
import type { Directory } from '../../directories/index.ts';
import { planDirectories } from './product-plan-store.ts';

/** The directories that the plan of a business includes. All without a plan or if the plan lists none. */
export async function coveredDirectories(
  sql: Sql,
  partnerId: number,
  businessId: number,
  directories: readonly Directory[],
): Promise<readonly Directory[]> {
  return (await coverageOf(sql, partnerId, [businessId], directories))(businessId);
}

/** `coveredDirectories` for several businesses. */
export async function coverageOf(
  sql: Sql,
  partnerId: number,
  businessIds: readonly number[],
  directories: readonly Directory[],
): Promise<(businessId: number) => readonly Directory[]> {
  const chosen = await planDirectories(sql, partnerId, [...new Set(businessIds)]);
  return (businessId) => {
    const types = chosen.get(businessId) ?? [];
    return types.length === 0 ? directories : directories.filter(({ type }) => types.includes(type));
  };
}
