import Type, { type TSchema } from 'typebox';

export const maxPageSize = 500;

/** The query of a classic list. `after`, the last id of a page, leads to the next one at the same price however deep. */
export const pageQuery = {
  offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'How many entries to skip' }),
  max: Type.Integer({ minimum: 1, maximum: maxPageSize, default: 50, description: 'How many entries to answer with' }),
  after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Only entries behind this id' }),
  ),
};

export type Direction = 'ASC' | 'DESC';

/** Which way round a list goes; letters of either case. */
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
    count: Type.Integer({ description: 'How many entries there are in all' }),
    [plural]: Type.Array(entry),
  } as { offset: Type.TInteger; max: Type.TInteger; count: Type.TInteger } & Record<Name, Type.TArray<T>>);

export const pageOf = <Name extends string, T>(plural: Name, query: PageQuery, count: number, entries: T[]) =>
  ({ offset: query.offset, max: query.max, count, [plural]: entries }) as {
    offset: number;
    max: number;
    count: number;
  } & Record<Name, T[]>;
