import { addCursorCondition, Conditions, orderBy } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countMatching } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { identifierInUse } from '../../../problems.ts';
import type { Business, BusinessFacts, BusinessStatus, BusinessType } from './business.ts';
import type { PlanState } from './plan-move.ts';

// A subquery reads the plan of the locked row. A join would read the plan from before the lock.
const selectBusiness = `
  select business.id, business.identifier, business.name, business.type, street, street_no as "streetNo", zip, city,
    province, country, phone, email, website,
    (select jsonb_build_object('id', id, 'identifier', identifier, 'name', name, 'price', price, 'currency', currency)
     from product_plans where id = business.product_plan_id) as "productPlan",
    next_product_plan_id as "nextProductPlanId", to_char(effective_date, 'YYYY-MM-DD') as "effectiveDate",
    business.status, business.date_created as "dateCreated", business.last_updated as "lastUpdated"
  from businesses business`;

const selectById = `${selectBusiness} where business.partner_id = $1 and business.id = $2`;

/** Excludes deleted businesses. Locks the row against deletion until the transaction ends. */
export async function findBusiness(sql: Sql, partnerId: number, id: number): Promise<Business | undefined> {
  const { rows } = await sql.query<Business>(`${selectById} and business.status <> 'DELETED' for key share`, [
    partnerId,
    id,
  ]);
  return rows[0];
}

/** Includes deleted businesses. */
export async function readBusiness(sql: Sql, partnerId: number, id: number): Promise<Business | undefined> {
  const { rows } = await sql.query<Business>(selectById, [partnerId, id]);
  return rows[0];
}

/** The ids that exist and are within reach. */
export async function visibleBusinessIds(
  sql: Sql,
  partnerId: number,
  reach: Reach,
  ids: readonly number[],
): Promise<number[]> {
  const conditions = new Conditions(partnerId).add('partner_id = $1').add("status <> 'DELETED'");
  conditions.add(`id = any (${conditions.value(ids)}::bigint[])`);
  withinReach(conditions, reach, { business: 'id' });
  const { rows } = await sql.query<{ id: number }>(`select id from businesses ${conditions.where}`, conditions.values);
  return rows.map(({ id }) => id);
}

/** Blocks other changes until the transaction ends; with `delete`, also new locations and collections. */
export async function lockBusiness(
  sql: Sql,
  partnerId: number,
  id: number,
  purpose: 'change' | 'delete',
): Promise<Business | undefined> {
  const strength = purpose === 'delete' ? 'update' : 'no key update';
  const { rows } = await sql.query<Business>(`${selectById} for ${strength}`, [partnerId, id]);
  return rows[0];
}

/** Locks businesses whose scheduled plan change is due. */
export async function claimDuePlanMoves(
  sql: Sql,
  today: string,
  limit: number,
): Promise<{ id: number; partnerId: number }[]> {
  const { rows } = await sql.query<{ id: number; partnerId: number }>(
    `select id, partner_id as "partnerId" from businesses
     where effective_date <= $1::date and status <> 'DELETED'
     order by effective_date, id limit $2 for no key update skip locked`,
    [today, limit],
  );
  return rows;
}

export const businessSorts = ['id', 'name', 'dateCreated', 'lastUpdated'] as const;

interface BusinessFilter {
  reach: Reach;
  /** Default: all except DELETED. */
  status?: readonly BusinessStatus[];
  type?: readonly BusinessType[];
  productPlanId?: readonly number[];
  identifier?: readonly string[];
  query?: string;
}

const sortColumns: Record<(typeof businessSorts)[number], string> = {
  id: 'business.id',
  name: 'lower(business.name)',
  dateCreated: 'business.date_created',
  lastUpdated: 'business.last_updated',
};

function conditionsOf(partnerId: number, filter: BusinessFilter): Conditions {
  const { reach, status, type, productPlanId, identifier, query } = filter;
  const conditions = new Conditions(partnerId).add('business.partner_id = $1');
  withinReach(conditions, reach, { business: 'business.id' });
  if (status) conditions.add(`business.status = any (${conditions.value(status)})`);
  else conditions.add(`business.status <> 'DELETED'`);
  if (type) conditions.add(`business.type = any (${conditions.value(type)})`);
  if (productPlanId) conditions.add(`business.product_plan_id = any (${conditions.value(productPlanId)}::bigint[])`);
  if (identifier) conditions.add(`business.identifier = any (${conditions.value(identifier)})`);
  const words = query === undefined ? '' : wordQuery(query);
  if (words !== '') conditions.add(`business.search @@ to_tsquery('simple', ${conditions.value(words)})`);
  return conditions;
}

export async function listBusinesses(
  sql: Sql,
  partnerId: number,
  filter: BusinessFilter,
  page: PageQuery & { sort: (typeof businessSorts)[number]; descending: boolean },
): Promise<Business[]> {
  const conditions = conditionsOf(partnerId, filter);
  const order = { by: sortColumns[page.sort], id: 'business.id', descending: page.descending };
  addCursorCondition(conditions, order, 'businesses business', page.after);
  const { rows } = await sql.query<Business>(
    `${selectBusiness} ${conditions.where}
     order by ${orderBy(order)}
     offset ${conditions.value(page.offset)} limit ${conditions.value(page.max + 1)}`,
    conditions.values,
  );
  return rows;
}

export function countBusinesses(sql: Sql, partnerId: number, filter: BusinessFilter): Promise<Counted> {
  const conditions = conditionsOf(partnerId, filter);
  return countMatching(sql, 'businesses business', conditions);
}

/** Counts businesses with this plan, including deleted ones and scheduled changes to it. */
export async function countBusinessesOfPlan(sql: Sql, productPlanId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'select count(*) from businesses where product_plan_id = $1 or next_product_plan_id = $1',
    [productPlanId],
  );
  return rows[0]?.count ?? 0;
}

export async function insertBusiness(
  sql: Sql,
  partnerId: number,
  facts: BusinessFacts,
  plans: PlanState,
): Promise<number> {
  const { rows } = await rejectDuplicateIdentifier(
    facts,
    sql.query<{ id: number }>(
      `insert into businesses (partner_id, identifier, name, type, street, street_no, zip, city, province, country,
         phone, email, website, product_plan_id, next_product_plan_id, effective_date)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
       returning id`,
      [partnerId, ...columnValues(facts), ...planValues(plans)],
    ),
  );
  return rows[0]?.id as number;
}

export async function updateFacts(sql: Sql, id: number, facts: BusinessFacts): Promise<void> {
  await rejectDuplicateIdentifier(
    facts,
    sql.query(
      `update businesses
       set identifier = $2, name = $3, type = $4, street = $5, street_no = $6, zip = $7, city = $8, province = $9,
         country = $10, phone = $11, email = $12, website = $13, last_updated = now()
       where id = $1`,
      [id, ...columnValues(facts)],
    ),
  );
}

export async function updatePlans(sql: Sql, id: number, plans: PlanState): Promise<void> {
  await sql.query(
    `update businesses set product_plan_id = $2, next_product_plan_id = $3, effective_date = $4, last_updated = now()
     where id = $1`,
    [id, ...planValues(plans)],
  );
}

/** Has no effect unless the status is CREATED. */
export async function activateBusiness(sql: Sql, partnerId: number, id: number): Promise<void> {
  await sql.query(
    `update businesses set status = 'ACTIVE', last_updated = now()
     where partner_id = $1 and id = $2 and status = 'CREATED'`,
    [partnerId, id],
  );
}

/** Cancels a scheduled plan change. */
export async function markBusinessDeleted(sql: Sql, id: number): Promise<void> {
  await sql.query(
    `update businesses set status = 'DELETED', next_product_plan_id = null, effective_date = null, last_updated = now()
     where id = $1`,
    [id],
  );
}

const columnValues = (facts: BusinessFacts) => [
  facts.identifier,
  facts.name,
  facts.type,
  facts.street,
  facts.streetNo,
  facts.zip,
  facts.city,
  facts.province,
  facts.country,
  facts.phone,
  facts.email,
  facts.website,
];

const planValues = ({ productPlanId, next }: PlanState) => [
  productPlanId,
  next?.productPlanId ?? null,
  next?.effectiveDate ?? null,
];

const rejectDuplicateIdentifier = <T>({ identifier }: BusinessFacts, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'businesses_identifier', () => identifierInUse(identifier, 'another business'));

/** The business ids that do not belong to the partner. */
export async function unknownBusinesses(
  sql: Sql,
  partnerId: number,
  { businessIds }: { businessIds: readonly number[] },
): Promise<{ field: 'businessIds'; ids: number[] }> {
  const { rows } = await sql.query<{ id: number }>(
    `select id from businesses where partner_id = $1 and id = any ($2::bigint[]) and status <> 'DELETED'
     order by id for key share`,
    [partnerId, businessIds],
  );
  const known = new Set(rows.map(({ id }) => id));
  return { field: 'businessIds', ids: businessIds.filter((id) => !known.has(id)) };
}

/** Converts search text to a tsquery that requires each word as a prefix. Empty if the text has no words. */
function wordQuery(text: string): string {
  const words = text.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
  return words.map((word) => `'${word}':*`).join(' & ');
}
