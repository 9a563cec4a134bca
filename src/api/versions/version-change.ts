import type { Schema } from '../../json-schema.ts';

/** A change of a resource. `upgrade` maps requests from old clients, `downgrade` maps responses; both are pure. */
export interface ShapeChange {
  /** The `x-resource` of the schemas, such as Location. */
  readonly resource: string;
  /** Removed fields and their replacements. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Fields with the same name and a new format. */
  readonly reshaped?: Readonly<Record<string, Reshaped>>;
  /** New fields that are ignored in requests from old clients. */
  readonly ignoredForOldClients?: readonly string[];
  /** Maps a path of the new format to the old one, for error messages. */
  oldPath?(current: string): string;
  /** Whether the old and new field of a record agree; otherwise the request is rejected. */
  agrees?(old: Shape): boolean;
  /** A warning about data that the new format cannot store. */
  lossWarning?(old: Shape): string | undefined;
  upgrade?(old: Shape): Shape;
  downgrade?(current: Shape): Shape;
  /** The old schema, from the new one. */
  describe?(current: Schema): Schema;
}

/** Parts of the warning "Sending labels as strings is deprecated: use objects {id, name}". */
export interface Reshaped {
  readonly before: string;
  readonly now: string;
  isOld(value: unknown, shape: Shape): boolean;
}

/** A change of an endpoint: its parameters or its response. */
export interface CallChange {
  /** Method and path, such as `GET /api/locations/:id`. */
  readonly call: string;
  /** Removed query parameters and their replacements. */
  readonly replaced?: Readonly<Record<string, string>>;
  upgradeQuery?(old: Shape): Shape;
  upgradeBody?(old: Shape): Shape;
  downgradeResponse?(current: Shape): Shape;
  /** The old schemas, from the new ones. */
  describeQuery?(current: Schema): Schema;
  describeResponse?(current: Schema): Schema;
  /** Behaviour that handlers keep for old clients. */
  readonly granted?: Grant;
}

export type Grant =
  | 'UNCAPPED_LOCATIONS'
  | 'UNCAPPED_DATAPOINTS'
  | 'OPEN_NOW_ALWAYS'
  | 'FIELDS_IN_SYNC_COUNTED'
  | 'SUGGESTIONS_IN_LOCATIONS'
  | 'DEPRECATED_CATEGORIES'
  | 'DATE_START_PUBLISHES'
  | 'ONLY_UNREAD_OR_ALL'
  | 'PENDING_IS_INACTIVE'
  | 'ONLY_ADMINS_CREATE_LABELS'
  | 'SERVICES_BY_IDENTIFIER';

/** An entry of the changelog. */
export interface VersionChange {
  /** Eight digits. */
  readonly version: string;
  readonly kind: 'BREAKING' | 'ADDITIVE' | 'INTERNAL';
  /** For API clients: the old and new behaviour, and what to do. */
  readonly description: string;
  /** The affected paths and fields. */
  readonly touches: readonly string[];
  /** A product plan feature. The entry does not apply to partners without it. */
  readonly onlyWith?: string;
  readonly shapes?: readonly ShapeChange[];
  readonly calls?: readonly CallChange[];
}

/** The version and plan features of the caller. */
export interface Client {
  readonly version: string;
  /** The features of all product plans of the partner. */
  readonly planFeatures: readonly string[];
}

/** Whether the client uses a version before the entry. */
export const isBefore = ({ version, planFeatures }: Client, entry: Pick<VersionChange, 'version' | 'onlyWith'>) =>
  version < entry.version || (entry.onlyWith !== undefined && !planFeatures.includes(entry.onlyWith));

/** A JSON object of the API in any version. */
export type Shape = Readonly<Record<string, unknown>>;

export const isShape = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const entries = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function without(shape: Shape, ...names: readonly string[]): Shape {
  const kept = { ...shape };
  for (const name of names) delete kept[name];
  return kept;
}

/** Like `without`, for responses: sets fields to undefined, which is several times faster than `delete` on large pages. */
export function omit(shape: Shape, ...names: readonly string[]): Shape {
  if (names.every((name) => shape[name] === undefined)) return shape;
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
export function described(current: Schema, gone: readonly string[], then: Record<string, Schema>): Schema {
  return {
    ...current,
    properties: { ...(without(current.properties ?? {}, ...gone) as Record<string, Schema>), ...then },
    ...(current.required && { required: current.required.filter((name) => !gone.includes(name) || name in then) }),
  };
}

/** Maps a field of a schema, if present. */
export function describedField(current: Schema, name: string, map: (schema: Schema) => Schema): Schema {
  const field = current.properties?.[name];
  return field ? described(current, [], { [name]: map(field) }) : current;
}

/** Maps the schema of the entries of a list, if present. */
export const describedEntries = (current: Schema, list: string, map: (entry: Schema) => Schema) =>
  describedField(current, list, (schema) => ({ ...schema, items: map(schema.items ?? {}) }));

export const stringList = { type: 'array', items: { type: 'string' } };
