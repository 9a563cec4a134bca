import type { Sql } from '../../../database/connection.ts';
import { fullReach } from '../../../http/access.ts';
import { findPartner } from '../../accounts/index.ts';
import { readBusiness } from '../../catalog/index.ts';
import { type Location, listLocations, type Scope } from '../../locations/index.ts';

const byId = { sort: 'id', descending: false } as const;

/** Streams the locations of a scope by id, with the given properties. */
export async function* streamLocations<Field extends keyof Location>(
  sql: Sql,
  scope: Scope,
  fields: readonly Field[],
): AsyncGenerator<Pick<Location, Field | 'id'>, void, undefined> {
  for await (const page of locationPages(sql, scope, fields)) yield* page;
}

export async function* locationPages<Field extends keyof Location>(
  sql: Sql,
  scope: Scope,
  fields: readonly Field[],
  pageSize = 500,
): AsyncGenerator<Pick<Location, Field | 'id'>[], void, undefined> {
  const { partnerId } = scope;
  const fieldNames = new Set<string>(fields);
  const read = (filter: object, after: number) => {
    const page = { offset: 0, limit: pageSize, after };
    return listLocations(sql, { partnerId, reach: fullReach, filter }, byId, page, fieldNames) as Promise<
      Pick<Location, Field | 'id'>[]
    >;
  };
  if (scope.kind === 'locations') {
    const ids = scope.locationIds.toSorted((a, b) => a - b);
    for (let from = 0; from < ids.length; from += pageSize)
      yield await read({ ids: ids.slice(from, from + pageSize) }, 0);
    return;
  }
  const filter = scope.kind === 'businesses' ? { businessIds: scope.businessIds } : {};
  for (let after = 0; ; ) {
    const found = await read(filter, after);
    yield found;
    if (found.length < pageSize) return;
    after = found.at(-1)?.id ?? after;
  }
}

/** Name of the only location or business, otherwise of the partner. */
export async function subjectOf(sql: Sql, scope: Scope): Promise<string> {
  const { partnerId } = scope;
  if (scope.kind === 'locations' && scope.locationIds.length === 1) {
    for await (const { name } of streamLocations(sql, scope, ['name'])) return name;
  }
  const [businessId, ...others] = scope.kind === 'businesses' ? scope.businessIds : [];
  const business =
    businessId !== undefined && others.length === 0 ? await readBusiness(sql, partnerId, businessId) : undefined;
  return business?.name ?? (await findPartner(sql, partnerId, partnerId))?.name ?? '';
}
