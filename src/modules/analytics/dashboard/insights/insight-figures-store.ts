import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../locations/index.ts';
import { plainSum, type RollUp, scopeConditions } from '../roll-up.ts';
import type { MonthOfDays, MonthTotal } from './insight-periods.ts';

const days = Array.from({ length: 31 }, (_, index) => index + 1);
/** Builds an array of 31 elements; days beyond the end of the month are empty. */
export const eachDay = (expression: (day: number) => string) => `array[${days.map(expression).join(', ')}]`;

export const insightRollUp: RollUp = {
  figures: 'insight_figures',
  deltas: 'insight_deltas',
  keys: ['directory_type', 'month', 'metric'],
  sums: {
    counts: {
      of: eachDay((day) => `coalesce(sum(sign * counts[${day}]), 0)::bigint`),
      grown: eachDay((day) => `known.counts[${day}] + excluded.counts[${day}]`),
    },
    known: {
      of: eachDay((day) => `sum(sign * (counts[${day}] is not null)::integer)::integer`),
      grown: eachDay((day) => `known.known[${day}] + excluded.known[${day}]`),
    },
    total: { of: 'sum(sign * total)::bigint', grown: plainSum('total').grown },
    known_days: {
      of: 'sum(sign * cardinality(array_remove(counts, null)))::bigint',
      grown: plainSum('known_days').grown,
    },
  },
};

interface InsightQuery {
  directoryType: string;
  metrics: readonly string[];
  months: readonly string[];
}

/** Folded figures and pending deltas in one statement, which makes them consistent. */
function rowsOf(scope: Scope, { directoryType, metrics, months }: InsightQuery, values: unknown[]): string {
  const condition = `directory_type = $${values.push(directoryType)} and metric = any ($${values.push(metrics)}::text[])
    and month = any ($${values.push(months)}::date[])`;
  if (scope.kind === 'locations') {
    return `select metric, month, 1::smallint as sign, counts, total from insights
      where location_id = any ($${values.push(scope.locationIds)}::bigint[]) and ${condition}`;
  }
  const { figures, deltas } = scopeConditions(scope, values);
  return `select metric, month, 1::smallint as sign, counts, total from insight_figures where ${figures} and ${condition}
    union all
    select metric, month, sign, counts::bigint[], total from insight_deltas where ${deltas} and ${condition}`;
}

export async function sumDays(sql: Sql, scope: Scope, query: InsightQuery): Promise<MonthOfDays[]> {
  const values: unknown[] = [];
  const { rows } = await sql.query<MonthOfDays>(
    `select metric, to_char(month, 'YYYY-MM-DD') as month,
       ${eachDay((day) => `coalesce(sum(sign * counts[${day}]), 0)::bigint`)} as counts
     from (${rowsOf(scope, query, values)}) as counted
     group by metric, counted.month`,
    values,
  );
  return rows;
}

export async function sumTotals(sql: Sql, scope: Scope, query: InsightQuery): Promise<MonthTotal[]> {
  const values: unknown[] = [];
  const { rows } = await sql.query<MonthTotal>(
    `select metric, to_char(month, 'YYYY-MM-DD') as month, sum(sign * total)::bigint as total
     from (${rowsOf(scope, query, values)}) as counted
     group by metric, counted.month`,
    values,
  );
  return rows;
}

export interface LocationMonth {
  locationId: number;
  directoryType: string;
  metric: string;
  month: string;
  counts: (number | null)[];
}

/** Ordered by location. */
export async function listMonths(
  sql: Sql,
  locationIds: readonly number[],
  query: { months: readonly string[]; directoryTypes?: readonly string[]; metrics?: readonly string[] },
): Promise<LocationMonth[]> {
  const { rows } = await sql.query<LocationMonth>({
    name: 'list-insight-months',
    text: `select location_id as "locationId", directory_type as "directoryType", metric,
             to_char(month, 'YYYY-MM-DD') as month, counts
           from insights
           where location_id = any ($1::bigint[]) and month = any ($2::date[])
             and ($3::text[] is null or directory_type = any ($3)) and ($4::text[] is null or metric = any ($4))
           order by location_id, directory_type, metric, insights.month`,
    values: [locationIds, query.months, query.directoryTypes ?? null, query.metrics ?? null],
  });
  return rows;
}
