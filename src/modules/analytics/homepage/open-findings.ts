import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dayOf } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { countDismissed, dismissedLocations, dismissedTypes } from './dismissal-store.ts';
import { countFindings, listFoundAt } from './finding-store.ts';
import { type Paging, placeOf } from './paging.ts';

/** A kind of thing that is found at locations and can be dismissed: tasks, or suggestions. */
export interface FindingKind {
  types: readonly string[];
  /** The finding whose locations a type is for. */
  findingOf(type: string): string;
}

export interface Asked {
  caller: Caller;
  scope: Scope;
  now: Date;
  /** With what the caller has dismissed. */
  includeDismissed: boolean;
}

export interface OpenType {
  type: string;
  locationsCount: number;
  dismissedUntil?: string;
}

/** The types that are open at any location of the scope, with what the counts are taken from. */
export async function openTypes(
  sql: Sql,
  { types, findingOf }: FindingKind,
  { caller, scope, now, includeDismissed }: Asked,
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

/** The locations that a type is open at; as many in all as `openTypes` counts. */
export async function locationsOf(
  sql: Sql,
  kind: FindingKind,
  type: string,
  asked: Asked,
  paging: Paging,
): Promise<{ count: number; locationIds: number[]; dismissedUntil?: string }> {
  const { caller, scope, now, includeDismissed } = asked;
  const today = dayOf(now);
  const [{ open }, dismissed, leftOut] = await Promise.all([
    openTypes(sql, { ...kind, types: [type] }, asked),
    dismissedTypes(sql, caller, today),
    includeDismissed ? [] : dismissedLocations(sql, caller, type, today),
  ]);
  const count = open[0]?.locationsCount ?? 0;
  const dismissedUntil = dismissed.get(type);
  return {
    count,
    locationIds: count > 0 ? await listFoundAt(sql, scope, kind.findingOf(type), leftOut, placeOf(paging)) : [],
    ...(dismissedUntil !== undefined && { dismissedUntil }),
  };
}
