import type { Sql } from '../../../../database/connection.ts';
import type { Classification, LocationStatus, Scope } from '../../../locations/index.ts';
import { plainSum, type RollUp, scopeConditions } from '../roll-up.ts';

export const locationRollUp: RollUp = {
  figures: 'location_figures',
  deltas: 'location_deltas',
  keys: ['status', 'classification', 'awaits_sync'],
  sums: { locations: plainSum('locations'), completeness: plainSum('completeness') },
};

export interface LocationCount {
  status: LocationStatus;
  classification: Classification;
  /** Never synced, or changed since without autoSync. */
  awaitsSync: boolean;
  locations: number;
  /** Sum of the percentages. */
  completeness: number;
}

export async function countLocationsByStatus(sql: Sql, scope: Scope): Promise<LocationCount[]> {
  const values: unknown[] = [];
  const { rows } = await sql.query<LocationCount>(
    `select status, classification, awaits_sync as "awaitsSync", sum(locations)::bigint as locations,
       sum(completeness)::bigint as completeness
     from (${rowsOf(scope, values)}) as counted
     group by status, classification, awaits_sync
     having sum(locations) > 0`,
    values,
  );
  return rows;
}

function rowsOf(scope: Scope, values: unknown[]): string {
  if (scope.kind === 'locations') {
    return `select status, classification, awaits_sync(status, auto_sync, revision, synced_revision) as awaits_sync,
        1 as locations, profile_completeness as completeness
      from locations where id = any ($${values.push(scope.locationIds)}::bigint[]) and status <> 'DELETED'`;
  }
  const { figures, deltas } = scopeConditions(scope, values);
  const columns = 'status, classification, awaits_sync, locations, completeness';
  return `select ${columns} from location_figures where ${figures}
    union all
    select ${columns} from location_deltas where ${deltas}`;
}
