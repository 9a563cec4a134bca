import Type, { type TSchema } from 'typebox';

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

export interface PageQuery {
  offset: number;
  max: number;
  after?: number;
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
