import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dayOf } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { allBusinesses } from '../dashboard/roll-up.ts';
import { countDismissed, dismissedLocations, dismissedTypes } from './dismissal-store.ts';
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
  await run(transaction, insertFindings, [
    partnerId,
    findings.map(({ locationId }) => locationId),
    findings.map(({ businessId }) => businessId),
    findings.map(({ type }) => type),
  ]);
}

const insertFindings = defineStatement({
  name: 'home-add-findings',
  text: `insert into home_findings (partner_id, location_id, business_id, type)
         select $1, finding.* from unnest($2::bigint[], $3::bigint[], $4::text[]) as finding`,
});

export async function removeFindings(transaction: Transaction, findings: readonly Finding[]): Promise<void> {
  await run(transaction, deleteFindings, [
    findings.map(({ locationId }) => locationId),
    findings.map(({ type }) => type),
  ]);
}

const deleteFindings = defineStatement({
  name: 'home-remove-findings',
  text: `delete from home_findings using unnest($1::bigint[], $2::text[]) as gone (location_id, type)
         where home_findings.location_id = gone.location_id and home_findings.type = gone.type`,
});

export async function addToCounts(
  transaction: Transaction,
  partnerId: number,
  changes: readonly { businessId: number; type: string; locations: number }[],
): Promise<void> {
  await run(transaction, addCounts, [
    partnerId,
    changes.map(({ businessId }) => businessId),
    changes.map(({ type }) => type),
    changes.map(({ locations }) => locations),
  ]);
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
