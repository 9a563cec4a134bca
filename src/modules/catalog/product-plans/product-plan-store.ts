import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { identifierInUse } from '../../../problems.ts';
import type { Directory } from '../../directories/index.ts';
import type { ProductPlan, ProductPlanStatus, ProductPlanTerms } from './product-plan.ts';

const columns = `id, identifier, name, description, price, currency, status, directory_types as "directoryTypes",
  features, date_created as "dateCreated", last_updated as "lastUpdated"`;

/** `for share` prevents changes of the plan until the transaction ends, `for update` also other locks. */
export async function findProductPlan(
  sql: Sql,
  partnerId: number,
  id: number,
  lock: '' | 'for share' | 'for update' = '',
): Promise<ProductPlan | undefined> {
  const { rows } = await sql.query<ProductPlan>(
    `select ${columns} from product_plans where partner_id = $1 and id = $2 ${lock}`,
    [partnerId, id],
  );
  return rows[0];
}

interface ProductPlanFilter {
  status?: readonly ProductPlanStatus[];
  query?: string;
}

function conditionsOf(partnerId: number, { status, query }: ProductPlanFilter): Conditions {
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  if (status) conditions.add(`status = any (${conditions.value(status)})`);
  if (query !== undefined) {
    const text = conditions.value(query);
    conditions.add(`(strpos(lower(name), lower(${text})) > 0 or strpos(lower(identifier), lower(${text})) > 0)`);
  }
  return conditions;
}

export async function listProductPlans(
  sql: Sql,
  partnerId: number,
  filter: ProductPlanFilter,
  { offset, max, after = 0 }: PageQuery,
): Promise<ProductPlan[]> {
  const conditions = conditionsOf(partnerId, filter);
  conditions.add(`id > ${conditions.value(after)}`);
  const { rows } = await sql.query<ProductPlan>(
    `select ${columns} from product_plans ${conditions.where}
     order by id offset ${conditions.value(offset)} limit ${conditions.value(max)}`,
    conditions.values,
  );
  return rows;
}

export async function countProductPlans(sql: Sql, partnerId: number, filter: ProductPlanFilter): Promise<number> {
  const conditions = conditionsOf(partnerId, filter);
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from product_plans ${conditions.where}`,
    conditions.values,
  );
  return rows[0]?.count ?? 0;
}

export async function insertProductPlan(sql: Sql, partnerId: number, terms: ProductPlanTerms): Promise<ProductPlan> {
  const { rows } = await rejectDuplicateIdentifier(
    terms,
    sql.query<ProductPlan>(
      `insert into product_plans
         (partner_id, identifier, name, description, price, currency, status, directory_types, features)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       returning ${columns}`,
      [partnerId, ...columnValues(terms)],
    ),
  );
  return rows[0] as ProductPlan;
}

export async function updateProductPlan(sql: Sql, id: number, terms: ProductPlanTerms): Promise<ProductPlan> {
  const { rows } = await rejectDuplicateIdentifier(
    terms,
    sql.query<ProductPlan>(
      `update product_plans
       set identifier = $2, name = $3, description = $4, price = $5, currency = $6, status = $7, directory_types = $8,
         features = $9, last_updated = now()
       where id = $1
       returning ${columns}`,
      [id, ...columnValues(terms)],
    ),
  );
  return rows[0] as ProductPlan;
}

export async function deleteProductPlan(sql: Sql, id: number): Promise<void> {
  await sql.query('delete from product_plans where id = $1', [id]);
}

const columnValues = (terms: ProductPlanTerms) => [
  terms.identifier,
  terms.name,
  terms.description,
  terms.price,
  terms.currency,
  terms.status,
  terms.directoryTypes,
  terms.features,
];

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
  const { rows } = await sql.query<{ id: number; types: string[] }>({
    name: 'plan-directories',
    text: `select business.id, plan.directory_types as types
           from businesses business join product_plans plan on plan.id = business.product_plan_id
           where business.partner_id = $1 and plan.partner_id = $1 and business.id = any ($2::bigint[])`,
    values: [partnerId, [...new Set(businessIds)]],
  });
  const chosen = new Map(rows.map(({ id, types }) => [id, types]));
  return (businessId) => {
    const types = chosen.get(businessId) ?? [];
    return types.length === 0 ? directories : directories.filter(({ type }) => types.includes(type));
  };
}
