import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { columnsOf, defineStatement, run } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dayOf } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { allBusinesses } from '../dashboard/roll-up.ts';
import { inScope } from './home-location-store.ts';

/** A task or suggestion that applies to a location. */
export interface Finding {
  locationId: number;
  businessId: number;
  type: string;
}

export const findingsAt = (sql: Sql, locationIds: readonly number[]): Promise<Finding[]> =>
  run(sql, findingsOfLocations, [locationIds]);

const findingsOfLocations = defineStatement<Finding>({
  name: 'home-findings-at',
  text: 'select location_id, business_id, type from home_findings where location_id = any ($1::bigint[])',
  columns: { locationId: 'int8', businessId: 'int8', type: 'text' },
});

export async function addFindings(
  transaction: Transaction,
  partnerId: number,
  findings: readonly Finding[],
): Promise<void> {
  await run(transaction, insertFindings, [partnerId, ...columnsOf(findings, 'locationId', 'businessId', 'type')]);
}

const insertFindings = defineStatement({
  name: 'home-add-findings',
  text: `insert into home_findings (partner_id, location_id, business_id, type)
         select $1, finding.* from unnest($2::bigint[], $3::bigint[], $4::text[]) as finding`,
});

export async function removeFindings(transaction: Transaction, findings: readonly Finding[]): Promise<void> {
  await run(transaction, deleteFindings, columnsOf(findings, 'locationId', 'type'));
}

const deleteFindings = defineStatement({
  name: 'home-remove-findings',
  text: `delete from home_findings using unnest($1::bigint[], $2::text[]) as gone (location_id, type)
         where home_findings.location_id = gone.location_id and home_findings.type = gone.type`,
});

export interface CountChange extends Omit<Finding, 'locationId'> {
  locations: number;
}

export async function addToCounts(
  transaction: Transaction,
  partnerId: number,
  changes: readonly CountChange[],
): Promise<void> {
  await run(transaction, addCounts, [partnerId, ...columnsOf(changes, 'businessId', 'type', 'locations')]);
}

const addCounts = defineStatement({
  name: 'home-add-to-counts',
  text: `insert into home_finding_counts as kept (partner_id, business_id, type, locations)
         select $1, change.* from unnest($2::bigint[], $3::text[], $4::integer[]) as change
         on conflict (partner_id, business_id, type) do update set locations = kept.locations + excluded.locations`,
});

/** Number of locations of a scope by finding. */
export async function countFindings(sql: Sql, scope: Scope): Promise<Map<string, number>> {
  const counts =
    scope.kind === 'locations'
      ? db(sql)
          .selectFrom('homeFindings')
          .select(({ fn }) => ['type', fn.countAll<number>().as('count')])
          .where('locationId', '=', anyOf(scope.locationIds, 'bigint'))
          .groupBy('type')
      : db(sql)
          .selectFrom('homeFindingCounts')
          .select(({ ref }) => ['type', raw<number>`sum(${ref('locations')})::integer`.as('count')])
          .where('partnerId', '=', scope.partnerId)
          .where('businessId', '=', anyOf(scope.kind === 'partner' ? [allBusinesses] : scope.businessIds, 'bigint'))
          .groupBy('type');
  return new Map((await counts.execute()).map(({ type, count }) => [type, count]));
}

interface Page {
  offset: number;
  limit: number;
  /** Only ids greater than this one. */
  after?: number;
}

async function listLocationsWithFinding(
  sql: Sql,
  scope: Scope,
  type: string,
  excluded: readonly number[],
  { offset, limit, after }: Page,
): Promise<number[]> {
  let findings = db(sql).selectFrom('homeFindings').select('locationId').where('type', '=', type).where(inScope(scope));
  if (excluded.length > 0) findings = findings.where('locationId', '<>', raw<number>`all (${excluded}::bigint[])`);
  if (after !== undefined) findings = findings.where('locationId', '>', after);
  const found = await findings.orderBy('locationId').offset(offset).limit(limit).execute();
  return found.map(({ locationId }) => locationId);
}

/** Tasks or suggestions. */
export interface FindingKind {
  types: readonly string[];
  /** Maps a type to its finding. */
  findingOf(type: string): string;
}

export interface HomeQuery {
  caller: Caller;
  scope: Scope;
  now: Date;
}

interface FindingQuery extends HomeQuery {
  includeDismissed: boolean;
}

interface OpenType {
  type: string;
  locationsCount: number;
  dismissedUntil?: string;
}

/** Types with open findings in the scope, and the counts of all findings. */
export async function openTypes(
  sql: Sql,
  { types, findingOf }: FindingKind,
  { caller, scope, now, includeDismissed }: FindingQuery,
): Promise<{ open: OpenType[]; counts: ReadonlyMap<string, number> }> {
  const today = dayOf(now);
  const [counts, dismissed, dismissedAt] = await Promise.all([
    countFindings(sql, scope),
    dismissedTypes(sql, caller, today),
    countDismissed(sql, caller, scope, today, new Map(types.map((type) => [type, findingOf(type)]))),
  ]);
  const open = types.flatMap((type): OpenType[] => {
    const until = dismissed.get(type);
    if (until !== undefined && !includeDismissed) return [];
    const found = counts.get(findingOf(type)) ?? 0;
    const locationsCount = includeDismissed ? found : found - (dismissedAt.get(type) ?? 0);
    return locationsCount > 0 ? [{ type, locationsCount, ...(until !== undefined && { dismissedUntil: until }) }] : [];
  });
  return { open, counts };
}

/** Locations with an open finding; `count` equals the count of `openTypes`. */
export async function locationsOf(
  sql: Sql,
  kind: FindingKind,
  type: string,
  query: FindingQuery,
  page: Page,
): Promise<{ count: number; locationIds: number[]; dismissedUntil?: string }> {
  const { caller, scope, now, includeDismissed } = query;
  const today = dayOf(now);
  const [{ open }, dismissed, excluded] = await Promise.all([
    openTypes(sql, { ...kind, types: [type] }, query),
    dismissedTypes(sql, caller, today),
    includeDismissed ? [] : dismissedLocations(sql, caller, type, today),
  ]);
  const count = open[0]?.locationsCount ?? 0;
  const dismissedUntil = dismissed.get(type);
  return {
    count,
    locationIds: count > 0 ? await listLocationsWithFinding(sql, scope, kind.findingOf(type), excluded, page) : [],
    ...(dismissedUntil !== undefined && { dismissedUntil }),
  };
}

/** Dismissals belong to a user, or to the private key. */
function isOwn({ partnerId, user }: Caller): Expression<SqlBool> {
  const eb = expressionBuilder<DB, 'homeDismissals'>();
  return eb.and([
    eb('homeDismissals.partnerId', '=', partnerId),
    eb('homeDismissals.userId', 'is not distinct from', user?.id ?? null),
  ]);
}

const date = (day: string) => raw<Date>`${day}::date`;

/** Without locations, for all locations. Existing dismissals get the new date. */
export async function upsertDismissals(
  sql: Sql,
  { partnerId, user }: Caller,
  type: string,
  locationIds: readonly number[] | undefined,
  until: string,
): Promise<void> {
  await run(sql, upsert, [partnerId, user?.id ?? null, type, locationIds ?? [null], until]);
}

const upsert = defineStatement({
  name: 'home-upsert-dismissals',
  text: `insert into home_dismissals (partner_id, user_id, type, location_id, until)
         select distinct $1::bigint, $2::bigint, $3, location_id, $5::date from unnest($4::bigint[]) as location_id
         on conflict (partner_id, user_id, type, location_id) do update
           set until = excluded.until, date_created = now()`,
});

/** Returns the number of deleted dismissals. Without locations, all of the type. */
export async function deleteDismissals(
  sql: Sql,
  caller: Caller,
  type: string,
  locationIds: readonly number[] | undefined,
): Promise<number> {
  let dismissals = db(sql).deleteFrom('homeDismissals').where(isOwn(caller)).where('type', '=', type);
  if (locationIds) dismissals = dismissals.where('locationId', '=', anyOf(locationIds, 'bigint'));
  const { numDeletedRows } = await dismissals.executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

const openDismissals = (sql: Sql, caller: Caller, today: string) =>
  db(sql).selectFrom('homeDismissals').where(isOwn(caller)).where('until', '>', date(today));

/** Types that are dismissed for all locations, with the date on which they return. */
async function dismissedTypes(sql: Sql, caller: Caller, today: string): Promise<Map<string, string>> {
  const dismissals = await openDismissals(sql, caller, today)
    .select(({ ref }) => ['type', raw<string>`to_char(${ref('until')}, 'YYYY-MM-DD')`.as('until')])
    .where('locationId', 'is', null)
    .execute();
  return new Map(dismissals.map(({ type, until }) => [type, until]));
}

async function dismissedLocations(sql: Sql, caller: Caller, type: string, today: string): Promise<number[]> {
  const dismissals = await openDismissals(sql, caller, today)
    .select('locationId')
    .where('type', '=', type)
    .where('locationId', 'is not', null)
    .$narrowType<{ locationId: number }>()
    .execute();
  return dismissals.map(({ locationId }) => locationId);
}

/** Number of locations of a scope whose finding is dismissed today. `findingOf` maps the types to their findings. */
async function countDismissed(
  sql: Sql,
  caller: Caller,
  scope: Scope,
  today: string,
  findingOf: ReadonlyMap<string, string>,
): Promise<Map<string, number>> {
  const asked = raw<{ type: string; finding: string }>`
    unnest(${[...findingOf.keys()]}::text[], ${[...findingOf.values()]}::text[])`;
  let dismissals = openDismissals(sql, caller, today)
    .innerJoin(asked.as<'asked'>(raw`asked (type, finding)`), 'asked.type', 'homeDismissals.type')
    .innerJoin('homeFindings as finding', (join) =>
      join.onRef('finding.locationId', '=', 'homeDismissals.locationId').onRef('finding.type', '=', 'asked.finding'),
    )
    .select(({ fn }) => ['homeDismissals.type', fn.countAll<number>().as('count')])
    .where('homeDismissals.locationId', 'is not', null);
  if (scope.kind === 'businesses') {
    dismissals = dismissals.where('finding.businessId', '=', anyOf(scope.businessIds, 'bigint'));
  }
  if (scope.kind === 'locations') {
    dismissals = dismissals.where('homeDismissals.locationId', '=', anyOf(scope.locationIds, 'bigint'));
  }
  const counts = await dismissals.groupBy('homeDismissals.type').execute();
  return new Map(counts.map(({ type, count }) => [type, count]));
}

export async function deleteExpiredDismissals(sql: Sql, today: string): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('homeDismissals')
    .where('until', '<=', date(today))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
