import { expressionBuilder, type Updateable } from 'kysely';
import { jsonObjectFrom } from 'kysely/helpers/postgres';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countAll, countRows } from '../../../database/counting.ts';
import { rejectDuplicate } from '../../../database/faults.ts';
import { notMoving } from '../../../database/partner-moves.ts';
import { afterRow, anyOf, db, inOrder, raw } from '../../../database/query-builder.ts';
import type { Businesses, DB } from '../../../database/schema.ts';
import { inReach, type Reach } from '../../../http/access.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { identifierInUse } from '../../../problems.ts';
import { type Business, type BusinessFacts, businessFilter, factFields, type PlanState } from './business.ts';

const business = expressionBuilder<DB, 'businesses'>();

// A subquery reads the plan of the locked row. A join would read the plan from before the lock.
const productPlan = jsonObjectFrom(
  business
    .selectFrom('productPlans')
    .select(['id', 'identifier', 'name', 'price', 'currency'])
    .whereRef('id', '=', 'businesses.productPlanId'),
);

const columns = [
  'id',
  ...factFields,
  productPlan.as('productPlan'),
  'nextProductPlanId',
  raw<string | null>`to_char(${business.ref('effectiveDate')}, 'YYYY-MM-DD')`.as('effectiveDate'),
  'status',
  'dateCreated',
  'lastUpdated',
] as const;

type Narrowed = Pick<Business, 'type' | 'status'>;

const selectById = (sql: Sql, partnerId: number, id: number) =>
  db(sql)
    .selectFrom('businesses')
    .select(columns)
    .where('partnerId', '=', partnerId)
    .where('id', '=', id)
    .$narrowType<Narrowed>();

/** Excludes deleted businesses. Locks the row against deletion until the transaction ends. */
export const findBusiness = (sql: Sql, partnerId: number, id: number): Promise<Business | undefined> =>
  selectById(sql, partnerId, id).where('status', '<>', 'DELETED').forKeyShare().executeTakeFirst();

/** Includes deleted businesses. Without a lock, which a read replica would refuse. */
export const readBusiness = (sql: Sql, partnerId: number, id: number): Promise<Business | undefined> =>
  selectById(sql, partnerId, id).executeTakeFirst();

const selectExisting = (sql: Sql, partnerId: number, ids: readonly number[]) =>
  db(sql)
    .selectFrom('businesses')
    .select('id')
    .where('partnerId', '=', partnerId)
    .where('status', '<>', 'DELETED')
    .where('id', '=', anyOf(ids, 'bigint'));

/** The ids that exist and are within reach. */
export async function visibleBusinessIds(sql: Sql, partnerId: number, reach: Reach, ids: readonly number[]) {
  const rows = await inReach(selectExisting(sql, partnerId, ids), reach, { business: 'id' }).execute();
  return rows.map(({ id }) => id);
}

/** Blocks other changes until the transaction ends; with `delete`, also new locations and collections. */
export function lockBusiness(sql: Sql, partnerId: number, id: number, purpose: 'change' | 'delete') {
  const selected = selectById(sql, partnerId, id);
  return (purpose === 'delete' ? selected.forUpdate() : selected.forNoKeyUpdate()).executeTakeFirst();
}

/** Locks businesses whose scheduled plan change is due, except those of partners that are being moved. */
export function claimDuePlanMoves(sql: Sql, today: string, limit: number) {
  return db(sql)
    .selectFrom('businesses')
    .select(['id', 'partnerId'])
    .where('effectiveDate', '<=', raw<Date>`${today}::date`)
    .where('status', '<>', 'DELETED')
    .where(notMoving('partner_id'))
    .orderBy('effectiveDate')
    .orderBy('id')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
}

const sortExpressions = {
  id: undefined,
  name: raw`lower(${business.ref('name')})`,
  dateCreated: raw`${business.ref('dateCreated')}`,
  lastUpdated: raw`${business.ref('lastUpdated')}`,
};

export const businessSorts = Object.keys(sortExpressions) as (keyof typeof sortExpressions)[];

const shape = Type.Object(businessFilter);
type BusinessFilter = Static<typeof shape> & { reach: Reach };

const ofPartner = (sql: Sql, partnerId: number) =>
  db(sql).selectFrom('businesses').where('businesses.partnerId', '=', partnerId);

function matching(sql: Sql, partnerId: number, filter: BusinessFilter) {
  const { reach, status, type, productPlanId, identifier, query } = filter;
  let businesses = inReach(ofPartner(sql, partnerId), reach, { business: 'id' });
  businesses = status
    ? businesses.where('status', '=', anyOf(status, 'text'))
    : businesses.where('status', '<>', 'DELETED');
  if (type) businesses = businesses.where('type', '=', anyOf(type, 'text'));
  if (productPlanId) businesses = businesses.where('productPlanId', '=', anyOf(productPlanId, 'bigint'));
  if (identifier) businesses = businesses.where('identifier', '=', anyOf(identifier, 'text'));
  if (query !== undefined) {
    businesses = businesses.where('search', '@@', raw<string>`to_tsquery('simple', ${wordQuery(query)})`);
  }
  return businesses;
}

/** Returns up to max + 1 rows, to detect whether another page follows. */
export function listBusinesses(
  sql: Sql,
  partnerId: number,
  filter: BusinessFilter,
  page: PageQuery & { sort: keyof typeof sortExpressions; descending: boolean },
): Promise<Business[]> {
  const order = { by: sortExpressions[page.sort], descending: page.descending };
  let businesses = matching(sql, partnerId, filter);
  if (page.after !== undefined) businesses = businesses.where(afterRow('businesses', order, partnerId, page.after));
  return inOrder(businesses.select(columns), order)
    .offset(page.offset)
    .limit(page.max + 1)
    .$narrowType<Narrowed>()
    .execute();
}

export const countBusinesses = (sql: Sql, partnerId: number, filter: BusinessFilter): Promise<Counted> =>
  countRows(sql, {
    table: 'businesses',
    partnerId,
    rows: matching(sql, partnerId, filter),
    all: ofPartner(sql, partnerId),
  });

/** Counts businesses with this plan, including deleted ones and scheduled changes to it. */
export const countBusinessesOfPlan = (sql: Sql, productPlanId: number): Promise<number> =>
  countAll(
    db(sql)
      .selectFrom('businesses')
      .where((eb) => eb.or([eb('productPlanId', '=', productPlanId), eb('nextProductPlanId', '=', productPlanId)])),
  );

export async function insertBusiness(sql: Sql, partnerId: number, facts: BusinessFacts, plans: PlanState) {
  const inserted = db(sql)
    .insertInto('businesses')
    .values({ partnerId, ...facts, ...settablePlans(plans) })
    .returning('id');
  const { id } = await rejectDuplicateIdentifier(facts, inserted.executeTakeFirstOrThrow());
  return id;
}

const update = (sql: Sql, id: number, values: Updateable<Businesses>) =>
  db(sql)
    .updateTable('businesses')
    .set({ ...values, lastUpdated: raw`now()` })
    .where('id', '=', id);

export async function updateFacts(sql: Sql, id: number, facts: BusinessFacts): Promise<void> {
  await rejectDuplicateIdentifier(facts, update(sql, id, facts).execute());
}

export async function updatePlans(sql: Sql, id: number, plans: PlanState): Promise<void> {
  await update(sql, id, settablePlans(plans)).execute();
}

/** Has no effect unless the status is CREATED. */
export async function activateBusiness(sql: Sql, partnerId: number, id: number): Promise<void> {
  await update(sql, id, { status: 'ACTIVE' })
    .where('partnerId', '=', partnerId)
    .where('status', '=', 'CREATED')
    .execute();
}

/** Cancels a scheduled plan change. */
export async function markBusinessDeleted(sql: Sql, id: number): Promise<void> {
  await update(sql, id, { status: 'DELETED', nextProductPlanId: null, effectiveDate: null }).execute();
}

const settablePlans = ({ productPlanId, next }: PlanState) =>
  ({
    productPlanId,
    nextProductPlanId: next?.productPlanId ?? null,
    effectiveDate: next?.effectiveDate ?? null,
  }) satisfies Updateable<Businesses>;

const rejectDuplicateIdentifier = <T>({ identifier }: BusinessFacts, statement: Promise<T>): Promise<T> =>
  rejectDuplicate(statement, 'businesses_identifier', () => identifierInUse(identifier, 'another business'));

/** The business ids that do not belong to the partner. Locks the other businesses against deletion. */
export async function unknownBusinesses(
  sql: Sql,
  partnerId: number,
  { businessIds }: { businessIds: readonly number[] },
): Promise<{ field: 'businessIds'; ids: number[] }> {
  const rows = await selectExisting(sql, partnerId, businessIds).orderBy('id').forKeyShare().execute();
  const known = new Set(rows.map(({ id }) => id));
  return { field: 'businessIds', ids: businessIds.filter((id) => !known.has(id)) };
}

/** Converts search text to a tsquery that requires each word as a prefix. Without words it is empty and matches nothing. */
function wordQuery(text: string): string {
  const words = text.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
  return words.map((word) => `'${word}':*`).join(' & ');
}
