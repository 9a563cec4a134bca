import Type from 'typebox';
import type { Sql } from '../../database/connection.ts';
import { type Reach, reachOf } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Id } from '../../http/ids.ts';
import { filterNotFound, type Problem } from '../../problems.ts';
import { visibleBusinessIds } from '../catalog/index.ts';
import { readLocationFilter } from './location-filter.ts';
import { countAllLocations, listLocationIds, type Wanted } from './location-list-store.ts';

const several = { maxItems: 1000 };
/** More than a partner has. */
export const everyLocation = 1_000_000;

/** Which locations the figures are about. Values of one field are alternatives, fields add up. */
export const scopeQuery = {
  businessIds: Type.Optional(Type.Array(Id, { ...several, examples: [[3]] })),
  locationIds: Type.Optional(Type.Array(Id, { ...several, examples: [[17, 18]] })),
  labels: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      ...several,
      description: 'By id or by name',
      examples: [['Flagship']],
    }),
  ),
  textFilter: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words of the location: its name, identifier or address',
      examples: ['Köln'],
    }),
  ),
};

/** The problem of an id that is not there, or not to be seen by the caller. */
type Missing = (field: string, what: string) => Problem;

export interface ScopeQuery {
  businessIds?: number[];
  locationIds?: number[];
  labels?: string[];
  textFilter?: string;
}

/**
 * The locations that a caller asks about and may see. The whole partner and whole businesses have roll-ups of their
 * own; any other choice is a list of locations. Deleted locations are in none of them.
 */
export type Scope =
  | { kind: 'partner'; partnerId: number }
  | { kind: 'businesses'; partnerId: number; businessIds: readonly number[] }
  | { kind: 'locations'; partnerId: number; locationIds: readonly number[] };

/** An id that is not there, or not to be seen by the caller, is not passed over. */
export async function readScope(
  sql: Sql,
  caller: Caller,
  query: ScopeQuery,
  missing: Missing = filterNotFound,
): Promise<Scope> {
  const { partnerId } = caller;
  const reach = reachOf(caller);
  if (query.businessIds) await demandBusinesses(sql, partnerId, reach, query.businessIds, missing);
  if (query.locationIds) await demandLocations(sql, partnerId, reach, query.locationIds, missing);
  const narrowed = query.locationIds ?? query.labels ?? query.textFilter;
  if (narrowed === undefined) {
    if (reach.businessIds === null || reach.locationIds === null) {
      return query.businessIds
        ? { kind: 'businesses', partnerId, businessIds: unique(query.businessIds) }
        : { kind: 'partner', partnerId };
    }
    if (query.businessIds?.every((id) => reach.businessIds?.includes(id))) {
      return { kind: 'businesses', partnerId, businessIds: unique(query.businessIds) };
    }
    if (!query.businessIds && reach.locationIds.length === 0) {
      return { kind: 'businesses', partnerId, businessIds: unique(reach.businessIds) };
    }
  }
  const wanted = await wantedBy(sql, caller, reach, query);
  return { kind: 'locations', partnerId, locationIds: await listLocationIds(sql, wanted, everyLocation) };
}

/** How many locations a scope has. */
export async function countScope(sql: Sql, scope: Scope): Promise<number> {
  if (scope.kind === 'locations') return scope.locationIds.length;
  const filter = scope.kind === 'businesses' ? { businessIds: scope.businessIds } : {};
  const { partnerId } = scope;
  return countAllLocations(sql, { partnerId, reach: { businessIds: null, locationIds: null }, filter });
}

async function wantedBy(sql: Sql, caller: Caller, reach: Reach, query: ScopeQuery): Promise<Wanted> {
  const { partnerId } = caller;
  const { businessIds, labels, textFilter, locationIds } = query;
  const filter = await readLocationFilter(sql, caller, {
    ...(businessIds && { businessIds }),
    ...(labels && { labels }),
    ...(textFilter !== undefined && { query: textFilter }),
  });
  return { partnerId, reach, filter: { ...filter, ...(locationIds && { ids: locationIds }) } };
}

async function demandLocations(
  sql: Sql,
  partnerId: number,
  reach: Reach,
  ids: readonly number[],
  missing: Missing,
): Promise<void> {
  const known = new Set(await listLocationIds(sql, { partnerId, reach, filter: { ids } }, ids.length));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw missing('locationIds', `location ${unknown}`);
}

async function demandBusinesses(
  sql: Sql,
  partnerId: number,
  reach: Reach,
  ids: readonly number[],
  missing: Missing,
): Promise<void> {
  const known = new Set(await visibleBusinessIds(sql, partnerId, reach, ids));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw missing('businessIds', `business ${unknown}`);
}

const unique = (ids: readonly number[]) => [...new Set(ids)];
