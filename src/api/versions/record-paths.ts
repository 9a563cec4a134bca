import { isShape, type Shape } from './shape.ts';

/** The path to records in a body or response: field names, and `*` for every entry of a list. */
export type RecordPath = readonly string[];

interface Schema {
  'x-resource'?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  patternProperties?: Record<string, Schema>;
}

const everyEntry = '*';

/** The paths of records by resource, innermost first. */
export function recordPathsIn(schema: unknown, resources: ReadonlySet<string>): Map<string, RecordPath[]> {
  const paths = new Map<string, RecordPath[]>();
  collect(schema as Schema, [], resources, paths);
  return paths;
}

function collect(
  schema: Schema,
  path: RecordPath,
  resources: ReadonlySet<string>,
  paths: Map<string, RecordPath[]>,
): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    collect(property, [...path, name], resources, paths);
  }
  if (schema.items) collect(schema.items, [...path, everyEntry], resources, paths);
  for (const inner of Object.values(schema.patternProperties ?? {})) {
    collect(inner, [...path, everyEntry], resources, paths);
  }
  for (const choice of schema.anyOf ?? []) collect(choice, path, resources, paths);
  const resource = schema['x-resource'];
  if (resource === undefined || !resources.has(resource)) return;
  const known = paths.get(resource) ?? [];
  if (!known.some((other) => other.join('/') === path.join('/'))) paths.set(resource, [...known, path]);
}

/** Maps the records at a path without changing the input. */
export function mapAt(value: unknown, path: RecordPath, map: (shape: Shape) => Shape, depth = 0): unknown {
  const step = path[depth];
  if (step === undefined) return isShape(value) ? map(value) : value;
  if (step === everyEntry && Array.isArray(value)) return value.map((entry) => mapAt(entry, path, map, depth + 1));
  if (!isShape(value)) return value;
  if (step === everyEntry) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapAt(inner, path, map, depth + 1)]));
  }
  if (!Object.hasOwn(value, step)) return value;
  return { ...value, [step]: mapAt(value[step], path, map, depth + 1) };
}
