import Type, { type TSchema } from 'typebox';

/** The query of a list of the product API. */
export const numberedPageQuery = {
  page: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'The first page is 0' }),
  size: Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'How many entries a page has' }),
};

export interface NumberedPage {
  page: number;
  size: number;
}

export const offsetOf = ({ page, size }: NumberedPage): number => page * size;

/** The fields of an answer with a page; others may stand beside them. */
export const numberedPageFields = <Name extends string, T extends TSchema>(plural: Name, entry: T) =>
  ({
    page: Type.Integer(),
    size: Type.Integer(),
    count: Type.Integer({ description: 'How many entries there are in all' }),
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
