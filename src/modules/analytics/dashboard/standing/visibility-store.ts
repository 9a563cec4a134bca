import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../locations/index.ts';
import { ofScope, plainSum, type RollUp } from '../roll-up.ts';
import { listingRows } from './listing-counts.ts';

/** By how much the fields that match and those that can be compared changed, day by day. */

export const visibilityRollUp: RollUp = {
  figures: 'visibility_figures',
  deltas: 'visibility_deltas',
  keys: ['day', 'directory_type'],
  sums: { matching_fields: plainSum('matching_fields'), comparable_fields: plainSum('comparable_fields') },
};

export interface FieldCount {
  directoryType: string;
  /** The day of a change; null for what they come to now. */
  day: string | null;
  matching: number;
  comparable: number;
}

/** What the fields come to now, and every change after a day: of one moment, so that the past follows from both. */
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

function changedRows(scope: Scope, asked: string, values: unknown[]): string {
  const columns = 'directory_type, day, matching_fields, comparable_fields';
  if (scope.kind === 'locations') {
    const locations = `location_id = any ($${values.push(scope.locationIds)}::bigint[])`;
    return `select ${columns} from visibility_changes where ${locations} and ${asked}`;
  }
  const { figures, deltas } = ofScope(scope, values);
  return `select ${columns} from visibility_figures where ${figures} and ${asked}
    union all
    select ${columns} from visibility_deltas where ${deltas} and ${asked}`;
}
