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

/** The fields of the schema, with times in ISO 8601 and without fields that are null. */
export function recordResponse<T extends TObject>(schema: T, record: Stored<Static<T>>): Static<T> {
  const stored = record as Readonly<Record<string, unknown>>;
  const response: Record<string, unknown> = {};
  for (const field of Object.keys(schema.properties)) {
    const value = stored[field];
    if (value !== null && value !== undefined) response[field] = value instanceof Date ? value.toISOString() : value;
  }
  return response as Static<T>;
}
