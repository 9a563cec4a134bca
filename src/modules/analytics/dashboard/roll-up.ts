import type { Sql } from '../../../database/connection.ts';
import type { Scope } from '../../locations/index.ts';

/** SQL of a summed column. */
interface Sum {
  /** Aggregate of a group of deltas. */
  of: string;
  /** Sum of the stored figures, as `known`, and the new ones, as `excluded`. */
  grown: string;
}

/** Figures by business and partner, and the table of deltas that are not folded yet. */
export interface RollUp {
  figures: string;
  deltas: string;
  /** Key columns in addition to partner and business. */
  keys: readonly string[];
  sums: Readonly<Record<string, Sum>>;
}

export const plainSum = (column: string): Sum => ({
  of: `sum(${column})::bigint`,
  grown: `known.${column} + excluded.${column}`,
});

/** business_id of figures of the whole partner. */
export const allBusinesses = 0;

/**
 * Moves deltas to the figures in one statement, so that readers see each delta once. Rows are written in key order to
 * avoid deadlocks. Returns the number of deltas.
 */
async function foldDeltas(sql: Sql, { figures, deltas, keys, sums }: RollUp, limit: number): Promise<number> {
  const columns = Object.keys(sums);
  const { rows } = await sql.query<{ count: number }>({
    name: `fold-${deltas}`,
    text: `with taken as (
             delete from ${deltas}
             where id in (select id from ${deltas} order by id limit $1 for update skip locked) returning *
           ), folded as (
             insert into ${figures} as known (partner_id, business_id, ${[...keys, ...columns].join(', ')})
             select partner_id, counted.business, ${[...keys, ...columns.map((name) => sums[name]?.of)].join(', ')}
             from taken cross join lateral (values (business_id), (${allBusinesses})) as counted (business)
             group by ${['partner_id', 'counted.business', ...keys].join(', ')}
             order by ${['partner_id', 'counted.business', ...keys].join(', ')}
             on conflict (${['partner_id', 'business_id', ...keys].join(', ')}) do update
               set ${columns.map((name) => `${name} = ${sums[name]?.grown}`).join(', ')}
           )
           select count(*) from taken`,
    values: [limit],
  });
  return rows[0]?.count ?? 0;
}

const batchSize = 5000;

/** Folds until no deltas are left. */
export async function foldAll(sql: Sql, rollUps: readonly RollUp[], signal?: AbortSignal): Promise<number> {
  let folded = 0;
  for (const rollUp of rollUps) {
    for (let taken = batchSize; taken === batchSize && !signal?.aborted; folded += taken) {
      taken = await foldDeltas(sql, rollUp, batchSize);
    }
  }
  return folded;
}

/** A scope with roll-ups. */
type RolledUp = Exclude<Scope, { kind: 'locations' }>;

/** SQL conditions for figures and deltas of a scope. Appends to `values`. */
export function scopeConditions(scope: RolledUp, values: unknown[]): { figures: string; deltas: string } {
  const partner = `partner_id = $${values.push(scope.partnerId)}`;
  if (scope.kind === 'partner') return { figures: `${partner} and business_id = ${allBusinesses}`, deltas: partner };
  const businesses = `${partner} and business_id = any ($${values.push(scope.businessIds)}::bigint[])`;
  return { figures: businesses, deltas: businesses };
}
