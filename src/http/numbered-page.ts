import Type, { type TSchema } from 'typebox';

export const numberedPageQuery = {
  page: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Page number, starting at 0' }),
  size: Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: 'Page size' }),
};

export interface NumberedPage {
  page: number;
  size: number;
}

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
