import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../locations/index.ts';
import { plainSum, type RollUp, scopeConditions } from '../roll-up.ts';
import { listingRows } from './listing-counts.ts';

/** Daily changes of matching and comparable fields. */

export const visibilityRollUp: RollUp = {
  figures: 'visibility_figures',
  deltas: 'visibility_deltas',
  keys: ['day', 'directory_type'],
  sums: { matching_fields: plainSum('matching_fields'), comparable_fields: plainSum('comparable_fields') },
};

export interface FieldCount {
  directoryType: string;
  /** Day of the change; null: the current value. */
  day: string | null;
  matching: number;
  comparable: number;
}

/** Current values and changes after a day, read in one statement so that the history can be derived. */
export async function fieldCounts(
  sql: Sql,
  scope: Scope,
  after: string,
  directoryTypes?: readonly string[],
): Promise<FieldCount[]> {
  const values: unknown[] = [directoryTypes ?? null, after];
  const ofType = '($1::text[] is null or directory_type = any ($1))';
  const sums = 'sum(matching_fields)::bigint as matching, sum(comparable_fields)::bigint as comparable';
  const { rows } = await sql.query<FieldCount>(
    `select directory_type as "directoryType", null as day, ${sums}
     from (${listingRows(scope, ofType, values)}) as listed
     where kind = 'ORIGINAL' and flow_status <> 'INACTIVE'
     group by directory_type
     union all
     select directory_type, to_char(day, 'YYYY-MM-DD'), ${sums}
     from (${changedRows(scope, `${ofType} and day > $2::date`, values)}) as changed
     group by directory_type, day`,
    values,
  );
  return rows;
}

function changedRows(scope: Scope, condition: string, values: unknown[]): string {
  const columns = 'directory_type, day, matching_fields, comparable_fields';
  if (scope.kind === 'locations') {
    const locations = `location_id = any ($${values.push(scope.locationIds)}::bigint[])`;
    return `select ${columns} from visibility_changes where ${locations} and ${condition}`;
  }
  const { figures, deltas } = scopeConditions(scope, values);
  return `select ${columns} from visibility_figures where ${figures} and ${condition}
    union all
    select ${columns} from visibility_deltas where ${deltas} and ${condition}`;
}
