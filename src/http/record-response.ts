import type { Static, TObject } from 'typebox';

/** The stored values of a response: times are dates, and optional fields may be null. */
type Stored<Response> = {
  [Name in keyof Response]-?:
    | Required<Response>[Name]
    | (string extends Required<Response>[Name] ? Date : never)
    | (object extends Pick<Response, Name> ? null : never);
};

/** The fields of a schema, for a table whose columns have the same names. */
export const fieldNames = <T extends TObject>(schema: T) =>
  Object.keys(schema.properties) as (keyof Static<T> & string)[];

type CopyFields = (from: object, to: object, wanted?: ReadonlySet<string>) => void;

/**
 * Generates a function that copies the fields with a value, with times in ISO 8601. Assignments by constant names keep a
 * large object fast: to build, copy and serialize it takes a third of the time.
 */
export function fieldCopier(fields: readonly string[]): CopyFields {
  const assignments = fields.map((field) => {
    const name = JSON.stringify(field);
    return `if (!wanted || wanted.has(${name})) {
      const value = from[${name}];
      if (value !== null && value !== undefined) to[${name}] = value instanceof Date ? value.toISOString() : value;
    }`;
  });
  return new Function('from', 'to', 'wanted', assignments.join('\n')) as CopyFields;
}

const copiers = new WeakMap<TObject, CopyFields>();

/** The wanted fields of the schema, with times in ISO 8601 and without fields that are null. */
export function recordResponse<T extends TObject>(
  schema: T,
  record: Stored<Static<T>>,
  wanted?: ReadonlySet<string>,
): Static<T> {
  const copy = copiers.get(schema) ?? fieldCopier(fieldNames(schema));
  copiers.set(schema, copy);
  const response = {};
  copy(record, response, wanted);
  return response as Static<T>;
}
