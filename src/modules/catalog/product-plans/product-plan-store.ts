import type { Expression } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { anyOf, db, pageById, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { fieldNames } from '../../../http/record-response.ts';
import { identifierInUse } from '../../../problems.ts';
import type { Directory } from '../../directories/index.ts';
import { type ProductPlan, ProductPlanResponse, type ProductPlanTerms, productPlanFilter } from './product-plan.ts';

const columns = fieldNames(ProductPlanResponse);

type Narrowed = Pick<ProductPlan, 'status'>;

/** `for share` prevents changes of the plan until the transaction ends, `for update` also other locks. */
export function findProductPlan(sql: Sql, partnerId: number, id: number, lock: '' | 'for share' | 'for update' = '') {
  return db(sql)
    .selectFrom('productPlans')
    .select(columns)
    .where('partnerId', '=', partnerId)
    .where('id', '=', id)
    .$if(lock === 'for share', (plan) => plan.forShare())
    .$if(lock === 'for update', (plan) => plan.forUpdate())
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

const shape = Type.Object(productPlanFilter);
type ProductPlanFilter = Static<typeof shape>;

function matching(sql: Sql, partnerId: number, { status, query }: ProductPlanFilter) {
  let plans = db(sql).selectFrom('productPlans').where('partnerId', '=', partnerId);
  if (status) plans = plans.where('status', '=', anyOf(status, 'text'));
  if (query !== undefined) {
    const contains = (column: Expression<string | null>) => raw<boolean>`strpos(lower(${column}), lower(${query})) > 0`;
    plans = plans.where((eb) => eb.or([contains(eb.ref('name')), contains(eb.ref('identifier'))]));
  }
  return plans;
}

export function listProductPlans(sql: Sql, partnerId: number, filter: ProductPlanFilter, page: PageQuery) {
  return pageById(matching(sql, partnerId, filter).select(columns), page)
    .$narrowType<Narrowed>()
    .execute();
}

export const countProductPlans = (sql: Sql, partnerId: number, filter: ProductPlanFilter): Promise<number> =>
  countAll(matching(sql, partnerId, filter));

export function insertProductPlan(sql: Sql, partnerId: number, terms: ProductPlanTerms): Promise<ProductPlan> {
  const plan = db(sql)
    .insertInto('productPlans')
    .values({ partnerId, ...terms })
    .returning(columns)
    .$narrowType<Narrowed>();
  return rejectDuplicateIdentifier(terms, plan.executeTakeFirstOrThrow());
}

export function updateProductPlan(sql: Sql, id: number, terms: ProductPlanTerms): Promise<ProductPlan> {
  const plan = db(sql)
    .updateTable('productPlans')
    .set({ ...terms, lastUpdated: raw`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>();
  return rejectDuplicateIdentifier(terms, plan.executeTakeFirstOrThrow());
}

export async function deleteProductPlan(sql: Sql, id: number): Promise<void> {
  await db(sql).deleteFrom('productPlans').where('id', '=', id).execute();
}

const rejectDuplicateIdentifier = <T>({ identifier }: ProductPlanTerms, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'product_plans_identifier', () => identifierInUse(identifier, 'another product plan'));

/** The directories that the plan of a business includes. All without a plan or if the plan lists none. */
export async function coveredDirectories(
  sql: Sql,
  partnerId: number,
  businessId: number,
  directories: readonly Directory[],
): Promise<readonly Directory[]> {
  return (await coverageOf(sql, partnerId, [businessId], directories))(businessId);
}

/** `coveredDirectories` for several businesses. */
export async function coverageOf(
  sql: Sql,
  partnerId: number,
  businessIds: readonly number[],
  directories: readonly Directory[],
): Promise<(businessId: number) => readonly Directory[]> {
  if (businessIds.length === 0) return () => directories;
  const rows = await run(sql, planDirectories, [partnerId, [...new Set(businessIds)]]);
  const chosen = new Map(rows.map(({ id, directoryTypes }) => [id, directoryTypes]));
  return (businessId) => directoriesOfPlan(chosen.get(businessId) ?? [], directories);
}

/** All directories if the plan lists none. */
export const directoriesOfPlan = (types: readonly string[], directories: readonly Directory[]): readonly Directory[] =>
  types.length === 0 ? directories : directories.filter(({ type }) => types.includes(type));

/** SQL: the directories that the plan of a row's `business_id` lists; empty without a plan. */
export const planDirectoriesOfRow = (table: string) => `coalesce((
  select plan.directory_types
  from businesses business join product_plans plan on plan.id = business.product_plan_id
  where business.id = ${table}.business_id
    and business.partner_id = ${table}.partner_id and plan.partner_id = ${table}.partner_id), '{}')`;

const planDirectories = defineStatement<{ id: number; directoryTypes: string[] }>({
  name: 'plan-directories',
  text: `select business.id, plan.directory_types
         from businesses business join product_plans plan on plan.id = business.product_plan_id
         where business.partner_id = $1 and plan.partner_id = $1 and business.id = any ($2::bigint[])`,
  columns: { id: 'int8', directoryTypes: 'text[]' },
});
