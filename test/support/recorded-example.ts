import type { Schema } from '../../src/json-schema.ts';
import { type ExampleWorld, tableOf } from './example-world.ts';

/** Ids of the request examples; other records start with 1. */
const firstIds: Readonly<Record<string, number>> = {
  businesses: 3,
  datapoint: 901,
  event: 7320,
  labels: 31,
  listings: 230,
  locations: 17,
  product_plans: 5,
  sales_partners: 2,
  social_posts: 88,
  suggestions: 61,
  tasks: 140,
  users: 41,
  webhooks: 12,
};

/** A response for the documents: shortened, with small ids and without secrets. */
export function recordedExample(
  { request, body }: { request: unknown; body: unknown },
  schema: Schema,
  world: ExampleWorld,
): unknown {
  const ids = new SmallIds(world.tables);
  ids.replaceIn(JSON.stringify(request) ?? '');
  const text = ids.replaceIn(JSON.stringify(shortened(body, [schema])));
  return JSON.parse(withoutHosts(text, world), (name, value) =>
    typeof value === 'string' ? withoutSecret(name, value) : value,
  );
}

/** Numbers records in the order of their appearance. */
class SmallIds {
  readonly #tables: readonly string[];
  readonly #smallIds = new Map<string, number>();
  readonly #last = new Map<string, number>();

  constructor(tables: readonly string[]) {
    this.#tables = tables;
  }

  replaceIn(text: string): string {
    return text.replace(/(?<![\d.])3\d{9}(?!\d)/g, (id) => {
      const table = tableOf(Number(id), this.#tables);
      return table === undefined ? id : `${this.#smallId(table, id)}`;
    });
  }

  #smallId(table: string, id: string): number {
    const existing = this.#smallIds.get(id);
    if (existing !== undefined) return existing;
    const next = (this.#last.get(table) ?? (firstIds[table] ?? 1) - 1) + 1;
    this.#smallIds.set(id, next);
    this.#last.set(table, next);
    return next;
  }
}

function withoutHosts(text: string, { api, sandbox }: ExampleWorld): string {
  return text
    .replaceAll(`http://127.0.0.1:${api.port}`, 'https://waypost.example')
    .replaceAll(new RegExp(`${sandbox.url}/demo-receiver/([\\w-]+)`, 'g'), 'https://$1.example/waypost')
    .replaceAll(/partner-\d+/g, 'hansekontor')
    .replaceAll(/Partner \d+/g, 'Hansekontor')
    .replaceAll(/user-[0-9a-f]{12}@example\.com/g, 'maria.keller@lindner.example');
}

const secretNames = /^(privateKey|publicKey|secret|accessToken|access_token|token|storeKey)$/;
/** Base64 of at least 120 bits. */
const random = /[\w-]{20,}={0,2}/g;
const looksRandom = (text: string) => /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);

function withoutSecret(name: string, value: string): string {
  if (secretNames.test(name)) return harmless(value);
  if (/signature/.test(name)) return value.replace(/[\w+/]{43}=/g, harmless);
  return value
    .replace(/(?<="signature":")[^"]+/, harmless)
    .replace(random, (text) => (looksRandom(text) ? harmless(text) : text));
}

/** A placeholder with the length and prefix of the secret. */
function harmless(secret: string): string {
  const [prefix = ''] = /^[a-z]{2,6}_/.exec(secret) ?? [];
  const [padding = ''] = /=*$/.exec(secret) ?? [];
  return prefix + 'Example'.repeat(20).slice(0, secret.length - prefix.length - padding.length) + padding;
}

/** Short entries, such as names and days, are kept up to this number. */
const mostShort = 7;
const shortEntry = 60;

/** Removes list entries without additional fields. */
function shortened(value: unknown, schemas: readonly Schema[]): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => shortened(entry, innerSchemas(schemas, '*')));
    const seen = new Set<string>();
    return entries.filter((entry, index) => {
      const paths = [...pathsOf(entry, innerSchemas(schemas, '*'))].filter((path) => !path.endsWith(': null'));
      const isNew = paths.some((path) => !seen.has(path));
      for (const path of paths) seen.add(path);
      return isNew || (index < mostShort && JSON.stringify(entry).length < shortEntry);
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shortened(inner, innerSchemas(schemas, name))]),
  );
}

/**
 * Differences of fields and types. Which entries a list has depends on the date: all of them may lack fields that
 * `described` does not require, their fields may all be null, and their own lists may all be empty.
 */
export function differences(example: unknown, real: unknown, schema?: Schema, described = schema): string[] {
  const [shown, found] = [pathsOf(example, schema && [schema]), pathsOf(real, schema && [schema])];
  const isShown = (path: string) =>
    shown.has(path) || (path.endsWith(': null') && [...shown].some((one) => one.startsWith(path.slice(0, -4))));
  return [
    ...[...shown]
      .filter((path) => !found.has(path) && !isOptionalInList(path, described) && !isEmptyInList(path, found))
      .map((path) => `not in the response: ${path}`),
    ...[...found].filter((path) => !isShown(path)).map((path) => `not in the example: ${path}`),
  ].filter((difference) => !ofNewConnection.test(difference));
}

function isOptionalInList(path: string, schema: Schema | undefined): boolean {
  const names = path.replace(/: \w+$/, '').split('.');
  let schemas = schema ? [schema] : [];
  for (const [index, name] of names.entries()) {
    const isKnown = schemas.some(({ properties = {} }) => Object.hasOwn(properties, name));
    const isRequired = schemas.every(({ required = [] }) => required.includes(name));
    if (isKnown && !isRequired && names.slice(0, index).includes('*')) return true;
    schemas = innerSchemas(schemas, name);
  }
  return false;
}

/** Whether the path is in a list, and is null or in an empty list of its own in all entries that were found. */
function isEmptyInList(path: string, found: ReadonlySet<string>): boolean {
  const field = path.replace(/: \w+$/, '');
  const names = field.split('.');
  if (names.includes('*') && found.has(`${field}: null`)) return true;
  return names.some((name, index) => {
    const list = names.slice(0, index).join('.');
    const isInner = name === '*' && names.indexOf('*') < index;
    return isInner && found.has(`${list}: array`) && !found.values().some((one) => one.startsWith(`${list}.*`));
  });
}

/** Durations of an attempt that are set only if it opened a new connection. */
const ofNewConnection = /\.durations\.(dns|connect|tls)Ms: number$/;

/**
 * Every field with its JSON type, such as `response.locations.*.id: number`. Names missing in the schema are data;
 * without a schema, all names are fields.
 */
function pathsOf(value: unknown, schemas: readonly Schema[] | undefined, path = ''): Set<string> {
  if (schemas?.some(isUnknown)) return new Set([`${path}: unknown`]);
  const own = new Set([`${path}: ${value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value}`]);
  const isData = schemas?.every(
    ({ properties, items, patternProperties }) => !properties && !items && !patternProperties,
  );
  if (typeof value !== 'object' || value === null || isData) return own;
  const inner = Object.entries(value).map(([name, entry]) => {
    const key = Array.isArray(value) || !isField(schemas, name) ? '*' : name;
    return pathsOf(entry, schemas && innerSchemas(schemas, key), path === '' ? key : `${path}.${key}`);
  });
  return inner.reduce((all, paths) => all.union(paths), own);
}

/** Values of any type, such as the fields of an event: which one is the newest depends on the order of jobs. */
const isUnknown = (schema: Schema) => Object.keys(schema).every((keyword) => keyword === 'description');

const isField = (schemas: readonly Schema[] | undefined, name: string) =>
  schemas?.some(({ properties = {} }) => Object.hasOwn(properties, name)) ?? true;

/** The schemas of a field, or of the entries of a list or a map, through all alternatives. */
function innerSchemas(schemas: readonly Schema[], name: string): Schema[] {
  return schemas.flatMap(({ properties = {}, items, patternProperties = {} }) =>
    [properties[name], ...(name === '*' ? [items, ...Object.values(patternProperties)] : [])]
      .filter((schema) => schema !== undefined)
      .flatMap(alternatives),
  );
}

const alternatives = (schema: Schema): Schema[] => (schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema]);
