import type { Conditions } from '../../../database/conditions.ts';
import type { Scope } from '../../locations/index.ts';

/** Counts of the whole partner are kept like those of a business. */
export const wholePartner = 0;

/** Narrows a query to the rows of a scope; tables of the homepage all have the three columns. */
export function withinScope(conditions: Conditions, scope: Scope): Conditions {
  if (scope.kind === 'locations') {
    return conditions.add(`location_id = any (${conditions.value(scope.locationIds)}::bigint[])`);
  }
  conditions.add(`partner_id = ${conditions.value(scope.partnerId)}`);
  if (scope.kind === 'partner') return conditions;
  // One business is looked up in an index that has its entries in order.
  const [only] = scope.businessIds;
  return scope.businessIds.length === 1
    ? conditions.add(`business_id = ${conditions.value(only)}`)
    : conditions.add(`business_id = any (${conditions.value(scope.businessIds)}::bigint[])`);
}
