import type { Sql } from '../../../database/connection.ts';
import { type Location, listLocations, type Scope } from '../../locations/index.ts';

const pageSize = 500;
const everything = { businessIds: null, locationIds: null };
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
): AsyncGenerator<Pick<Location, Field | 'id'>[], void, undefined> {
  const { partnerId } = scope;
  const fieldNames = new Set<string>(fields);
  const read = (filter: object, after: number) => {
    const page = { offset: 0, limit: pageSize, after };
    return listLocations(sql, { partnerId, reach: everything, filter }, byId, page, fieldNames) as Promise<
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
