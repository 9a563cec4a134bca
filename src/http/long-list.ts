import Type, { type TSchema } from 'typebox';
import { type Counted, maxExactCount } from '../database/counting.ts';
import { type PageQuery, pageOf, pageSchema } from './pagination.ts';

export const countIsExact = Type.Boolean({
  description: `False if count is an upper bound: counts are exact up to ${maxExactCount}`,
});

export const longListSchema = <Name extends string, T extends TSchema>(plural: Name, entry: T) =>
  Type.Object({
    ...pageSchema(plural, entry).properties,
    countIsExact,
    after: Type.Optional(Type.Integer({ description: 'Cursor of the next page; absent on the last page' })),
  });

/** `found` has one entry more than the page size if another page follows. */
export function longList<Name extends string, Found extends { id: number }, T>(
  plural: Name,
  query: PageQuery,
  counted: Counted,
  found: readonly Found[],
  toResponse: (entry: Found) => T,
) {
  const entries = found.slice(0, query.max);
  const last = found.length > query.max ? entries.at(-1) : undefined;
  return {
    ...pageOf(plural, query, counted.count, entries.map(toResponse)),
    countIsExact: counted.countIsExact,
    ...(last && { after: last.id }),
  };
}
