import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dayOf } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { countDismissed, dismissedLocations, dismissedTypes } from './dismissal-store.ts';
import { countFindings, listLocationsWithFinding } from './finding-store.ts';
import { type Paging, pageOf } from './read-route.ts';

/** Tasks or suggestions. */
export interface FindingKind {
  types: readonly string[];
  /** Maps a type to its finding. */
  findingOf(type: string): string;
}

export interface FindingQuery {
  caller: Caller;
  scope: Scope;
  now: Date;
  includeDismissed: boolean;
}

export interface OpenType {
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
  paging: Paging,
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
    locationIds:
      count > 0 ? await listLocationsWithFinding(sql, scope, kind.findingOf(type), excluded, pageOf(paging)) : [],
    ...(dismissedUntil !== undefined && { dismissedUntil }),
  };
}
