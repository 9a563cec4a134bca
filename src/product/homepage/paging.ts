import Type, { type TSchema } from 'typebox';

const largest = 1000;

/** The page of a list of the homepage. `after`, the last id of a page, leads to the next one however deep. */
export const pagingFields = {
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'The first page is 0' }),
  size: Type.Integer({ minimum: 1, maximum: largest, default: 50, description: 'How many entries a page has' }),
};

export const afterField = {
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only locations behind this id, instead of page: deep pages at the price of the first',
    }),
  ),
};

export interface Paging {
  page: number;
  size: number;
  after?: number;
}

export const pagedSchema = <Name extends string, T extends TSchema>(plural: Name, entry: T) =>
  ({
    page: Type.Integer(),
    size: Type.Integer(),
    count: Type.Integer({ description: 'How many entries there are in all' }),
    [plural]: Type.Array(entry),
  }) as { page: Type.TInteger; size: Type.TInteger; count: Type.TInteger } & Record<Name, Type.TArray<T>>;

/** Where in the list a page lies. */
export const placeOf = ({ page, size, after }: Paging) =>
  after === undefined ? { offset: page * size, limit: size } : { offset: 0, limit: size, after };

export const upToDateField = {
  upToDate: Type.Boolean({
    description: 'False while so many locations have changed that they are still being counted',
  }),
};
