/** A JSON object of the API, in whatever version. */
export type Shape = Readonly<Record<string, unknown>>;

/** How one kind of record looked before. Both directions are pure; `upgrade` gets what an old client sent. */
export interface ShapeChange {
  /** The `x-resource` of the schemas that it concerns, such as Location. */
  readonly resource: string;
  /** Fields of old, and what took their place. */
  readonly replaced: Readonly<Record<string, string>>;
  upgrade?(old: Shape): Shape;
  downgrade?(today: Shape): Shape;
  /** The schema that the record had, from the one it has today. */
  describe?(today: RecordSchema): RecordSchema;
}

/** As much of a JSON Schema as a change of shape touches. */
export interface RecordSchema {
  properties?: Record<string, object>;
  required?: string[];
  [keyword: string]: unknown;
}

/** How a call behaved before: its parameters, or an answer as a whole. */
export interface CallChange {
  /** As in the OpenAPI document, such as `GET /api/locations`. */
  readonly call: string;
  /** Query parameters of old, and what took their place. */
  readonly replaced: Readonly<Record<string, string>>;
  upgradeQuery?(old: Shape): Shape;
  upgradeBody?(old: Shape): Shape;
  downgradeAnswer?(today: Shape, asked: Shape): Shape;
  /** What a client of old may have that today's may not; handlers look for it. */
  readonly granted?: Grant;
}

export type Grant =
  | 'UNCAPPED_LOCATIONS'
  | 'UNCAPPED_DATAPOINTS'
  | 'OPEN_NOW_ALWAYS'
  | 'SUGGESTIONS_IN_LOCATIONS'
  | 'DEPRECATED_CATEGORIES'
  | 'DATE_START_PUBLISHES'
  | 'ONLY_UNREAD_OR_ALL'
  | 'PENDING_IS_INACTIVE';

/** An entry of the change record. */
export interface VersionChange {
  /** Eight digits. */
  readonly version: string;
  readonly kind: 'BREAKING' | 'ADDITIVE' | 'INTERNAL';
  /** For those who write clients: what it was, what it is, and what to do. */
  readonly description: string;
  /** What it touches, in words: paths, fields. */
  readonly touches: readonly string[];
  readonly shapes?: readonly ShapeChange[];
  readonly calls?: readonly CallChange[];
}

/** A field that only changed its name. */
export function renamed(resource: string, before: string, now: string): ShapeChange {
  return {
    resource,
    replaced: { [before]: now },
    upgrade: (old) => moved(old, before, now),
    downgrade: (today) => (today[now] === undefined ? today : { ...today, [now]: undefined, [before]: today[now] }),
    describe: (today) => ({
      ...today,
      properties: moved(today.properties ?? {}, now, before) as Record<string, object>,
      ...(today.required && { required: today.required.map((name) => (name === now ? before : name)) }),
    }),
  };
}

/** A field mask that may name a field by what it was called. */
export function renamedInMask(query: Shape, before: string, now: string): Shape {
  return withField(query, 'fieldMask', (mask) =>
    [mask]
      .flat()
      .flatMap((names) => String(names).split(','))
      .map((name) => (name.trim() === before ? now : name)),
  );
}

/** The schema of a record with other fields in place of some of today's. */
export function described(today: RecordSchema, gone: readonly string[], then: Record<string, object>): RecordSchema {
  return {
    ...today,
    properties: { ...(without(today.properties ?? {}, ...gone) as Record<string, object>), ...then },
    ...(today.required && { required: today.required.filter((name) => !gone.includes(name)) }),
  };
}

function moved(shape: Shape, from: string, to: string): Shape {
  if (!Object.hasOwn(shape, from)) return shape;
  return { ...without(shape, from), [to]: shape[from] };
}

/** The shape without some of its fields. */
export function without(shape: Shape, ...names: string[]): Shape {
  const kept = { ...shape };
  for (const name of names) delete kept[name];
  return kept;
}

/**
 * An answer without some of its fields: JSON has no undefined. Where a page holds thousands of records this is several
 * times faster than to delete, which makes an object slow for whoever reads it next.
 */
export function hidden(shape: Shape, ...names: string[]): Shape {
  const shown: Record<string, unknown> = { ...shape };
  for (const name of names) if (shown[name] !== undefined) shown[name] = undefined;
  return shown;
}

/** The shape with one field made anew; a field that is not there stays away. */
export function withField(shape: Shape, name: string, make: (value: unknown) => unknown): Shape {
  return Object.hasOwn(shape, name) ? { ...shape, [name]: make(shape[name]) } : shape;
}

export const entries = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isShape = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
