import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../locations/index.ts';
import { scopeConditions } from '../roll-up.ts';
import { eachDay } from './insight-figures-store.ts';

export interface KnownMonths {
  directoryType: string;
  /** First day of the month. */
  first: string;
  last: string;
}

/** First and last month with data, by directory. */
export async function knownMonths(sql: Sql, scope: Scope, directoryTypes: readonly string[]): Promise<KnownMonths[]> {
  const values: unknown[] = [directoryTypes];
  const months = `to_char(min(first), 'YYYY-MM-DD') as first, to_char(max(last), 'YYYY-MM-DD') as last`;
  if (scope.kind === 'locations') {
    // Reads both ends of the index per listing, regardless of the number of months.
    const { rows } = await sql.query<KnownMonths>(
      `select directory.type as "directoryType", ${months}
       from unnest($1::text[]) as directory (type) cross join unnest($2::bigint[]) as location (id)
       cross join lateral (
         select min(month) as first, max(month) as last from insights
         where location_id = location.id and directory_type = directory.type
       ) as ends
       where first is not null group by directory.type`,
      [...values, scope.locationIds],
    );
    return rows;
  }
  const { figures, deltas } = scopeConditions(scope, values);
  const { rows } = await sql.query<KnownMonths>(
    `select directory_type as "directoryType", ${months}
     from (
       select directory_type, month as first, month as last from (
         select directory_type, month, known_days from insight_figures
         where ${figures} and directory_type = any ($1::text[])
         union all
         select directory_type, month, sign * cardinality(array_remove(counts, null)) from insight_deltas
         where ${deltas} and directory_type = any ($1::text[])
       ) as counted
       group by directory_type, month having sum(known_days) > 0
     ) as known
     group by directory_type`,
    values,
  );
  return rows;
}

export interface MonthOfKnownDays {
  directoryType: string;
  month: string;
  /** Number of known counts by day of the month. */
  known: number[];
}

export async function knownDays(
  sql: Sql,
  scope: Scope,
  months: readonly { directoryType: string; month: string }[],
): Promise<MonthOfKnownDays[]> {
  const values: unknown[] = [months.map(({ directoryType }) => directoryType), months.map(({ month }) => month)];
  const condition = '(directory_type, month) in (select * from unnest($1::text[], $2::date[]))';
  const { rows } = await sql.query<MonthOfKnownDays>(
    `select directory_type as "directoryType", to_char(month, 'YYYY-MM-DD') as month,
       ${eachDay((day) => `coalesce(sum(known[${day}]), 0)::bigint`)} as known
     from (${knownIn(scope, condition, values)}) as counted
     group by directory_type, counted.month`,
    values,
  );
  return rows;
}

/** Aggregated by element before building the array, which would otherwise be built per row. */
function knownIn(scope: Scope, condition: string, values: unknown[]): string {
  const months = (from: string, known: (day: number) => string) =>
    `select directory_type, month, ${eachDay(known)} as known from ${from} and ${condition} group by directory_type, month`;
  if (scope.kind === 'locations') {
    const locations = `location_id = any ($${values.push(scope.locationIds)}::bigint[])`;
    return months(`insights where ${locations}`, (day) => `count(counts[${day}])`);
  }
  const { figures, deltas } = scopeConditions(scope, values);
  return `${months(`insight_figures where ${figures}`, (day) => `sum(known[${day}])`)}
    union all
    ${months(`insight_deltas where ${deltas}`, (day) => `coalesce(sum(sign) filter (where counts[${day}] is not null), 0)`)}`;
}
