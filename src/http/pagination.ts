import Type, { type Static, type TSchema } from 'typebox';
import { type Counted, maxExactCount } from '../database/counting.ts';
import { invalidField } from '../problems.ts';

export const maxPageSize = 500;

/** `after` is the last id of the previous page; its cost does not depend on the depth of the page. */
export const pageQuery = {
  offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Number of entries to skip' }),
  max: Type.Integer({
    minimum: 1,
    maximum: maxPageSize,
    default: 50,
    description: 'Maximum number of entries to return',
  }),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Cursor: returns the entries after this id',
    }),
  ),
};

export type Direction = 'ASC' | 'DESC';

/** Sort direction, case-insensitive. */
export const orderQuery = (first: Direction, description?: string) =>
  Type.Enum(['ASC', 'DESC', 'asc', 'desc'], { default: first, ...(description !== undefined && { description }) });

export const directionOf = (order: Direction | 'asc' | 'desc') => order.toUpperCase() as Direction;

export const isDescending = (order: Direction | 'asc' | 'desc'): boolean => directionOf(order) === 'DESC';

export type PageQuery = Static<Type.TObject<typeof pageQuery>>;

/** Rejects the cursor of an empty page if its entry was deleted: the position of the next page is unknown. */
export async function rejectDeletedCursor<T>(
  after: number | undefined,
  found: Promise<T[]>,
  findEntry: (id: number) => Promise<unknown>,
): Promise<T[]> {
  const entries = await found;
  if (after === undefined || entries.length > 0 || (await findEntry(after)) !== undefined) return entries;
  throw invalidField(
    'after',
    'cursor',
    `after must be the id of an entry of the list. There is no entry ${after} any more. Use the id of an earlier entry, or offset.`,
  );
}

export const pageSchema = <Name extends string, T extends TSchema>(plural: Name, entry: T) =>
  Type.Object({
    offset: Type.Integer(),
    max: Type.Integer(),
    count: Type.Integer({ description: 'Total number of entries' }),
    [plural]: Type.Array(entry),
  } as { offset: Type.TInteger; max: Type.TInteger; count: Type.TInteger } & Record<Name, Type.TArray<T>>);

export const pageOf = <Name extends string, T>(plural: Name, query: PageQuery, count: number, entries: T[]) =>
  ({ offset: query.offset, max: query.max, count, [plural]: entries }) as {
    offset: number;
    max: number;
    count: number;
  } & Record<Name, T[]>;

export const countIsExact = Type.Boolean({
  description: `False if count is not exact: an upper bound above ${maxExactCount}, a lower bound of a search that was cut off`,
});

export const longListSchema = <Name extends string, T extends TSchema>(plural: Name, entry: T) =>
  Type.Object({
    ...pageSchema(plural, entry).properties,
    countIsExact,
    after: Type.Optional(Type.Integer({ description: 'Cursor of the next page; absent on the last page' })),
  });

/** The entries of a page, and its cursor if another page follows. */
export interface CursorPage<Found> {
  entries: readonly Found[];
  after: number | undefined;
}

/** `found` has one entry more than the page size if another page follows. */
export function cursorPage<Found>(
  found: readonly Found[],
  max: number,
  idOf: (entry: Found) => number,
): CursorPage<Found> {
  const entries = found.slice(0, max);
  const last = found.length > max ? entries.at(-1) : undefined;
  return { entries, after: last === undefined ? undefined : idOf(last) };
}

/** `found` has one entry more than the page size if another page follows. */
export const longList = <Name extends string, Found extends { id: number }, T>(
  plural: Name,
  query: PageQuery,
  counted: Counted,
  found: readonly Found[],
  toResponse: (entry: Found) => T,
) =>
  cursorList(
    plural,
    query,
    counted,
    cursorPage(found, query.max, ({ id }) => id),
    toResponse,
  );

/** For entries that are read by their ids: one that is deleted in between is missing, and does not change the cursor. */
export function cursorList<Name extends string, Found, T>(
  plural: Name,
  query: PageQuery,
  counted: Counted,
  { entries, after }: CursorPage<Found>,
  toResponse: (entry: Found) => T,
) {
  return {
    ...pageOf(plural, query, counted.count, entries.map(toResponse)),
    countIsExact: counted.countIsExact,
    ...(after !== undefined && { after }),
  };
}

export const numberedPageQuery = {
  page: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Page number, starting at 0' }),
  size: Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'Page size' }),
};

export type NumberedPage = Static<Type.TObject<typeof numberedPageQuery>>;

export const offsetOf = ({ page, size }: NumberedPage): number => page * size;

export const numberedPageFields = <Name extends string, T extends TSchema>(plural: Name, entry: T) =>
  ({
    page: Type.Integer(),
    size: Type.Integer(),
    count: Type.Integer({ description: 'Total number of entries' }),
    [plural]: Type.Array(entry),
  }) as { page: Type.TInteger; size: Type.TInteger; count: Type.TInteger } & Record<Name, Type.TArray<T>>;

export const numberedPageSchema = <Name extends string, T extends TSchema>(plural: Name, entry: T) =>
  Type.Object(numberedPageFields(plural, entry));

export const numberedPageOf = <Name extends string, T>(
  plural: Name,
  { page, size }: NumberedPage,
  count: number,
  entries: T[],
) => ({ page, size, count, [plural]: entries }) as NumberedPage & { count: number } & Record<Name, T[]>;
