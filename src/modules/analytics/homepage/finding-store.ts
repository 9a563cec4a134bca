import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dayOf } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { allBusinesses } from '../dashboard/roll-up.ts';
import { countDismissed, dismissedLocations, dismissedTypes } from './dismissal-store.ts';
import { withinScope } from './home-location-store.ts';

/** A task or suggestion that applies to a location. */
export interface Finding {
  locationId: number;
  businessId: number;
  type: string;
}

export async function findingsAt(sql: Sql, locationIds: readonly number[]): Promise<Finding[]> {
  const { rows } = await sql.query<Finding>({
    name: 'home-findings-at',
    text: `select location_id as "locationId", business_id as "businessId", type from home_findings
           where location_id = any ($1::bigint[])`,
    values: [locationIds],
  });
  return rows;
}

export async function addFindings(
  transaction: Transaction,
  partnerId: number,
  findings: readonly Finding[],
): Promise<void> {
  await transaction.query({
    name: 'home-add-findings',
    text: `insert into home_findings (partner_id, location_id, business_id, type)
           select $1, finding.* from unnest($2::bigint[], $3::bigint[], $4::text[]) as finding`,
    values: [partnerId, ...columnsOf(findings)],
  });
}

export async function removeFindings(transaction: Transaction, findings: readonly Finding[]): Promise<void> {
  await transaction.query({
    name: 'home-remove-findings',
    text: `delete from home_findings using unnest($1::bigint[], $2::text[]) as gone (location_id, type)
           where home_findings.location_id = gone.location_id and home_findings.type = gone.type`,
    values: [findings.map(({ locationId }) => locationId), findings.map(({ type }) => type)],
  });
}

const columnsOf = (findings: readonly Finding[]) => [
  findings.map(({ locationId }) => locationId),
  findings.map(({ businessId }) => businessId),
  findings.map(({ type }) => type),
];

export async function addToCounts(
  transaction: Transaction,
  partnerId: number,
  changes: readonly { businessId: number; type: string; locations: number }[],
): Promise<void> {
  await transaction.query({
    name: 'home-add-to-counts',
    text: `insert into home_finding_counts as kept (partner_id, business_id, type, locations)
           select $1, change.* from unnest($2::bigint[], $3::text[], $4::integer[]) as change
           on conflict (partner_id, business_id, type) do update set locations = kept.locations + excluded.locations`,
    values: [
      partnerId,
      changes.map(({ businessId }) => businessId),
      changes.map(({ type }) => type),
      changes.map(({ locations }) => locations),
    ],
  });
}

/** Number of locations of a scope by finding. */
export async function countFindings(sql: Sql, scope: Scope): Promise<Map<string, number>> {
  const { rows } =
    scope.kind === 'locations'
      ? await sql.query<{ type: string; count: number }>(
          'select type, count(*) from home_findings where location_id = any ($1::bigint[]) group by type',
          [scope.locationIds],
        )
      : await sql.query<{ type: string; count: number }>(
          `select type, sum(locations)::integer as count from home_finding_counts
           where partner_id = $1 and business_id = any ($2::bigint[]) group by type`,
          [scope.partnerId, scope.kind === 'partner' ? [allBusinesses] : scope.businessIds],
        );
  return new Map(rows.map(({ type, count }) => [type, count]));
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
  const conditions = new Conditions(type).add('type = $1');
  withinScope(conditions, scope);
  if (excluded.length > 0) conditions.add(`location_id <> all (${conditions.value(excluded)}::bigint[])`);
  if (after !== undefined) conditions.add(`location_id > ${conditions.value(after)}`);
  const { rows } = await sql.query<{ id: number }>(
    `select location_id as id from home_findings ${conditions.where}
     order by location_id offset ${conditions.value(offset)} limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows.map(({ id }) => id);
}

/** Tasks or suggestions. */
export interface FindingKind {
  types: readonly string[];
  /** Maps a type to its finding. */
  findingOf(type: string): string;
}

interface FindingQuery {
  caller: Caller;
  scope: Scope;
  now: Date;
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
