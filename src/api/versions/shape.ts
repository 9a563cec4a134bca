/** A JSON object of the API, in whatever version. */
export type Shape = Readonly<Record<string, unknown>>;

/** As much of a JSON Schema as a change of shape touches. */
export interface RecordSchema {
  properties?: Record<string, object>;
  required?: string[];
  [keyword: string]: unknown;
}

export const isShape = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const entries = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The shape without some of its fields. */
export function without(shape: Shape, ...names: readonly string[]): Shape {
  const kept = { ...shape };
  for (const name of names) delete kept[name];
  return kept;
}

/**
 * An answer without some of its fields: JSON has no undefined. Where a page holds thousands of records this is several
 * times faster than to delete, which makes an object slow for whoever reads it next.
 */
export function omit(shape: Shape, ...names: readonly string[]): Shape {
  const shown: Record<string, unknown> = { ...shape };
  for (const name of names) if (shown[name] !== undefined) shown[name] = undefined;
  return shown;
}

/** The shape with one field made anew; a field that is not there stays away. */
export function withField(shape: Shape, name: string, make: (value: unknown) => unknown): Shape {
  return Object.hasOwn(shape, name) ? { ...shape, [name]: make(shape[name]) } : shape;
}

/** The shape with each entry of one of its lists made anew; what is no list is left to be refused. */
export function withEntries(shape: Shape, name: string, make: (entry: unknown) => unknown): Shape {
  return withField(shape, name, (value) => (Array.isArray(value) ? value.map(make) : value));
}

/** The shape with one of its fields under another name. */
export function renameField(shape: Shape, from: string, to: string): Shape {
  if (!Object.hasOwn(shape, from)) return shape;
  return { ...without(shape, from), [to]: shape[from] };
}

/** The schema of a record with other fields in place of some of today's. */
export function described(today: RecordSchema, gone: readonly string[], then: Record<string, object>): RecordSchema {
  return {
    ...today,
    properties: { ...(without(today.properties ?? {}, ...gone) as Record<string, object>), ...then },
    ...(today.required && { required: today.required.filter((name) => !gone.includes(name) || name in then) }),
  };
}

/** The schema with one of its fields made anew, where it has that field. */
export function describedField(
  today: RecordSchema,
  name: string,
  make: (schema: RecordSchema) => object,
): RecordSchema {
  const field = today.properties?.[name];
  return field ? described(today, [], { [name]: make(field as RecordSchema) }) : today;
}

export const texts = { type: 'array', items: { type: 'string' } };
