import type { Sql } from '../../../database/connection.ts';
import type { Scope } from '../../locations/index.ts';

/** How one column of the figures adds up. */
interface Sum {
  /** Of a group of deltas. */
  of: string;
  /** Of the figures that are there, as `known`, and those that come, as `excluded`. */
  grown: string;
}

/** Figures by business and for the whole partner, and the table of deltas that are not in them yet. */
export interface RollUp {
  figures: string;
  deltas: string;
  /** What they are told apart by, beyond partner and business. */
  keys: readonly string[];
  sums: Readonly<Record<string, Sum>>;
}

/** A column that is the sum of the deltas' column of the same name. */
export const plainSum = (column: string): Sum => ({
  of: `sum(${column})::bigint`,
  grown: `known.${column} + excluded.${column}`,
});

/** The business that stands for all of a partner. */
export const everyBusiness = 0;

/**
 * Takes some deltas and adds them to the figures, in one statement: whoever reads meanwhile sees them in one of the two.
 * Figures are written in the order of their keys, so that two processes that fold never wait for each other in a circle.
 * Answers how many it took.
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
             from taken cross join lateral (values (business_id), (${everyBusiness})) as counted (business)
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

const perStatement = 5000;

/** Folds what is there, and what arrives meanwhile, until nothing waits. */
export async function foldAll(sql: Sql, rollUps: readonly RollUp[], signal?: AbortSignal): Promise<number> {
  let folded = 0;
  for (const rollUp of rollUps) {
    for (let taken = perStatement; taken === perStatement && !signal?.aborted; folded += taken) {
      taken = await foldDeltas(sql, rollUp, perStatement);
    }
  }
  return folded;
}

/** A scope that has figures of its own. */
export type RolledUp = Exclude<Scope, { kind: 'locations' }>;

/** Where the figures of a scope are, and the deltas that belong to them; its values are added to those of the statement. */
export function ofScope(scope: RolledUp, values: unknown[]): { figures: string; deltas: string } {
  const partner = `partner_id = $${values.push(scope.partnerId)}`;
  if (scope.kind === 'partner') return { figures: `${partner} and business_id = ${everyBusiness}`, deltas: partner };
  const businesses = `${partner} and business_id = any ($${values.push(scope.businessIds)}::bigint[])`;
  return { figures: businesses, deltas: businesses };
}
