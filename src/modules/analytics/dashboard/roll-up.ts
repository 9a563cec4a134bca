import type { Sql } from '../../../database/connection.ts';
import { notMovingSql } from '../../../database/partner-moves.ts';
import { defineStatement, run, runUnprepared, type Statement } from '../../../database/statement.ts';
import type { Scope } from '../../locations/index.ts';

/** SQL of a summed column. */
interface Sum {
  /** Aggregate of a group of deltas. */
  of: string;
  /** Sum of the stored figures, as `known`, and the new ones, as `excluded`. */
  grown: string;
}

/** Figures by business and partner, and the table of deltas that are not folded yet. */
interface RollUpTables {
  figures: string;
  deltas: string;
  /** Key columns in addition to partner and business. */
  keys: readonly string[];
  sums: Readonly<Record<string, Sum>>;
}

export interface RollUp extends RollUpTables {
  /** Moves deltas to the figures and returns their number. */
  fold: Statement<{ count: number }>;
}

export const plainSum = (column: string): Sum => ({
  of: `sum(${column})::bigint`,
  grown: `known.${column} + excluded.${column}`,
});

export const plainSums = (...columns: string[]): Record<string, Sum> =>
  Object.fromEntries(columns.map((column) => [column, plainSum(column)]));

/** business_id of figures of the whole partner. */
export const allBusinesses = 0;

/** Folds in one statement, so that readers see each delta once. Rows are written in key order to avoid deadlocks. */
export function defineRollUp(tables: RollUpTables): RollUp {
  const { figures, deltas, keys, sums } = tables;
  const columns = Object.keys(sums);
  const fold = defineStatement<{ count: number }>({
    name: `fold-${deltas}`,
    text: `with taken as (
             delete from ${deltas}
             where id in (
               select id from ${deltas} where ${notMovingSql('partner_id')} order by id limit $1 for update skip locked
             ) returning *
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
    columns: { count: 'int8' },
  });
  return { ...tables, fold };
}

const batchSize = 5000;

/** Folds until no deltas are left. */
export async function foldAll(sql: Sql, rollUps: readonly RollUp[], signal?: AbortSignal): Promise<number> {
  let folded = 0;
  for (const { fold } of rollUps) {
    for (let taken = batchSize; taken === batchSize && !signal?.aborted; folded += taken) {
      taken = (await run(sql, fold, [batchSize]))[0]?.count ?? 0;
    }
  }
  return folded;
}

export type ScopeKind = Scope['kind'];

/** One statement per kind of scope. */
export function defineStatementsByScope<Row extends object>(
  name: string,
  columns: Statement<Row>['columns'],
  text: (kind: ScopeKind) => string,
): Record<ScopeKind, Statement<Row>> {
  const define = (kind: ScopeKind) => defineStatement<Row>({ name: `${name}-of-${kind}`, text: text(kind), columns });
  return { partner: define('partner'), businesses: define('businesses'), locations: define('locations') };
}

/** The values of the scope follow `values`. */
export const runForScope = <Row extends object>(
  sql: Sql,
  statements: Record<ScopeKind, Statement<Row>>,
  scope: Scope,
  values: readonly unknown[] = [],
): Promise<Row[]> => runUnprepared(sql, statements[scope.kind], [...values, ...valuesOfScope(scope)]);

function valuesOfScope(scope: Scope): unknown[] {
  if (scope.kind === 'locations') return [scope.locationIds];
  return scope.kind === 'partner' ? [scope.partnerId] : [scope.partnerId, scope.businessIds];
}

type RolledUpKind = Exclude<ScopeKind, 'locations'>;

/** Conditions on figures and deltas. The values of the scope start at the parameter `first`. */
export function scopeConditions(kind: RolledUpKind, first: number): { figures: string; deltas: string } {
  const partner = `partner_id = $${first}`;
  if (kind === 'partner') return { figures: `${partner} and business_id = ${allBusinesses}`, deltas: partner };
  const businesses = `${partner} and business_id = any ($${first + 1}::bigint[])`;
  return { figures: businesses, deltas: businesses };
}

/** Selects figures and pending deltas that sum up to the figures of a scope, in one statement to be consistent. */
export function rolledUpRows(
  { figures, deltas }: RollUpTables,
  kind: RolledUpKind,
  first: number,
  columns: string,
  { condition = 'true', deltaColumns = columns } = {},
): string {
  const inScope = scopeConditions(kind, first);
  return `select ${columns} from ${figures} where ${inScope.figures} and ${condition}
    union all
    select ${deltaColumns} from ${deltas} where ${inScope.deltas} and ${condition}`;
}
