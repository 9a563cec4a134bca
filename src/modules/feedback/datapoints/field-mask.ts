import Type from 'typebox';
import { invalidField } from '../../../problems.ts';

export const fieldMask = Type.Optional(
  Type.Array(Type.String(), { maxItems: 100, description: 'Fields to return; the id is always returned' }),
);

export function readFieldMask<Field extends string>(
  mask: readonly string[] | undefined,
  fields: readonly Field[],
): ReadonlySet<Field> {
  if (!mask || mask.length === 0) return new Set(fields);
  const unknown = mask.filter((name) => !(fields as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw invalidField(
      'fieldMask',
      'enum',
      `fieldMask has unknown fields: ${unknown.join(', ')}. Accepted are ${fields.join(', ')}.`,
    );
  }
  return new Set(['id' as Field, ...(mask as readonly Field[])]);
}

export const onlyFields = <T extends object>(entry: T, fields: ReadonlySet<string>): Partial<T> =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => fields.has(name))) as Partial<T>;
