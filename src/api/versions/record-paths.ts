import { isShape, type Shape } from './shape.ts';

/** The way from a body or an answer to a record in it: names of fields, and `*` for every entry of a list. */
export type RecordPath = readonly string[];

interface Schema {
  'x-resource'?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  patternProperties?: Record<string, Schema>;
}

const everyEntry = '*';

/** Where records of known kinds lie in what a schema describes, the innermost first. */
export function recordPathsIn(schema: unknown, kinds: ReadonlySet<string>): Map<string, RecordPath[]> {
  const places = new Map<string, RecordPath[]>();
  collect(schema as Schema, [], kinds, places);
  return places;
}

function collect(
  schema: Schema,
  place: RecordPath,
  kinds: ReadonlySet<string>,
  places: Map<string, RecordPath[]>,
): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    collect(property, [...place, name], kinds, places);
  }
  if (schema.items) collect(schema.items, [...place, everyEntry], kinds, places);
  for (const inner of Object.values(schema.patternProperties ?? {})) {
    collect(inner, [...place, everyEntry], kinds, places);
  }
  for (const choice of schema.anyOf ?? []) collect(choice, place, kinds, places);
  const kind = schema['x-resource'];
  if (kind === undefined || !kinds.has(kind)) return;
  const known = places.get(kind) ?? [];
  if (!known.some((other) => other.join('/') === place.join('/'))) places.set(kind, [...known, place]);
}

/** The same value with what lies at a place made anew; nothing that was given is changed. */
export function mapAt(value: unknown, place: RecordPath, make: (shape: Shape) => Shape, depth = 0): unknown {
  const step = place[depth];
  if (step === undefined) return isShape(value) ? make(value) : value;
  if (step === everyEntry && Array.isArray(value)) return value.map((entry) => mapAt(entry, place, make, depth + 1));
  if (!isShape(value)) return value;
  if (step === everyEntry) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, mapAt(inner, place, make, depth + 1)]),
    );
  }
  if (!Object.hasOwn(value, step)) return value;
  return { ...value, [step]: mapAt(value[step], place, make, depth + 1) };
}
