import type { Conditions } from '../../../database/conditions.ts';
import type { Scope } from '../../locations/index.ts';

/** business_id of counts of the whole partner. */
export const allBusinessesId = 0;

/** Adds the conditions of a scope for tables with partner_id, business_id and location_id. */
export function withinScope(conditions: Conditions, scope: Scope): Conditions {
  if (scope.kind === 'locations') {
    return conditions.add(`location_id = any (${conditions.value(scope.locationIds)}::bigint[])`);
  }
  conditions.add(`partner_id = ${conditions.value(scope.partnerId)}`);
  if (scope.kind === 'partner') return conditions;
  // Equality lets an index provide the order.
  const [only] = scope.businessIds;
  return scope.businessIds.length === 1
    ? conditions.add(`business_id = ${conditions.value(only)}`)
    : conditions.add(`business_id = any (${conditions.value(scope.businessIds)}::bigint[])`);
}
