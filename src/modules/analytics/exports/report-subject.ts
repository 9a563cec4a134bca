import type { Sql } from '../../../database/connection.ts';
import { findPartner } from '../../accounts/index.ts';
import { findBusiness } from '../../catalog/index.ts';
import type { Scope } from '../../locations/index.ts';
import { streamLocations } from './export-locations.ts';

/** Name of the only location or business, otherwise of the partner. */
export async function subjectOf(sql: Sql, scope: Scope): Promise<string> {
  const { partnerId } = scope;
  if (scope.kind === 'locations' && scope.locationIds.length === 1) {
    for await (const { name } of streamLocations(sql, scope, ['name'])) return name;
  }
  const [businessId, ...others] = scope.kind === 'businesses' ? scope.businessIds : [];
  const business =
    businessId !== undefined && others.length === 0 ? await findBusiness(sql, partnerId, businessId) : undefined;
  return business?.name ?? (await findPartner(sql, partnerId, partnerId))?.name ?? '';
}
