import type { Sql } from '../../../database/connection.ts';
import { type Location, listLocations, type Scope } from '../../locations/index.ts';

const perPage = 500;
const everything = { businessIds: null, locationIds: null };
const byId = { sort: 'id', descending: false } as const;

/** The locations of a scope in the order of their ids, with the named properties; reads on as they are used. */
export async function* streamLocations<Field extends keyof Location>(
  sql: Sql,
  scope: Scope,
  fields: readonly Field[],
): AsyncGenerator<Pick<Location, Field | 'id'>, void, undefined> {
  for await (const page of locationPages(sql, scope, fields)) yield* page;
}

/** The same, as many at once as are read at once. */
export async function* locationPages<Field extends keyof Location>(
  sql: Sql,
  scope: Scope,
  fields: readonly Field[],
): AsyncGenerator<Pick<Location, Field | 'id'>[], void, undefined> {
  const { partnerId } = scope;
  const wanted = new Set<string>(fields);
  const read = (filter: object, after: number) => {
    const page = { offset: 0, limit: perPage, after };
    return listLocations(sql, { partnerId, reach: everything, filter }, byId, page, wanted) as Promise<
      Pick<Location, Field | 'id'>[]
    >;
  };
  if (scope.kind === 'locations') {
    const ids = scope.locationIds.toSorted((a, b) => a - b);
    for (let from = 0; from < ids.length; from += perPage)
      yield await read({ ids: ids.slice(from, from + perPage) }, 0);
    return;
  }
  const filter = scope.kind === 'businesses' ? { businessIds: scope.businessIds } : {};
  for (let after = 0; ; ) {
    const found = await read(filter, after);
    yield found;
    if (found.length < perPage) return;
    after = found.at(-1)?.id ?? after;
  }
}
