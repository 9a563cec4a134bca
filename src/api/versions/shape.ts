/** A JSON object of the API in any version. */
export type Shape = Readonly<Record<string, unknown>>;

/** The JSON Schema keywords that version changes use. */
export interface RecordSchema {
  properties?: Record<string, object>;
  required?: string[];
  [keyword: string]: unknown;
}

export const isShape = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const entries = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Removes fields. */
export function without(shape: Shape, ...names: readonly string[]): Shape {
  const kept = { ...shape };
  for (const name of names) delete kept[name];
  return kept;
}

/** Like `without`, for responses: sets fields to undefined, which is several times faster than `delete` on large pages. */
export function omit(shape: Shape, ...names: readonly string[]): Shape {
  const shown: Record<string, unknown> = { ...shape };
  for (const name of names) if (shown[name] !== undefined) shown[name] = undefined;
  return shown;
}

/** Maps a field, if present. */
export function withField(shape: Shape, name: string, map: (value: unknown) => unknown): Shape {
  return Object.hasOwn(shape, name) ? { ...shape, [name]: map(shape[name]) } : shape;
}

/** Maps the entries of a list; other values are left to the validator. */
export function withEntries(shape: Shape, name: string, map: (entry: unknown) => unknown): Shape {
  return withField(shape, name, (value) => (Array.isArray(value) ? value.map(map) : value));
}

/** Renames a field, if present. */
export function renameField(shape: Shape, from: string, to: string): Shape {
  if (!Object.hasOwn(shape, from)) return shape;
  return { ...without(shape, from), [to]: shape[from] };
}

/** Replaces fields of a schema. */
export function described(today: RecordSchema, gone: readonly string[], then: Record<string, object>): RecordSchema {
  return {
    ...today,
    properties: { ...(without(today.properties ?? {}, ...gone) as Record<string, object>), ...then },
    ...(today.required && { required: today.required.filter((name) => !gone.includes(name) || name in then) }),
  };
}

/** Maps a field of a schema, if present. */
export function describedField(today: RecordSchema, name: string, map: (schema: RecordSchema) => object): RecordSchema {
  const field = today.properties?.[name];
  return field ? described(today, [], { [name]: map(field as RecordSchema) }) : today;
}

export const texts = { type: 'array', items: { type: 'string' } };
