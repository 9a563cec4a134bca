import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { fieldOf, propertiesOf, type Schema } from '../json-schema.ts';
import { type FieldError, Problem } from '../problems.ts';
import { fieldName, schemaErrors } from '../schema-errors.ts';
import { withCanonicalNames } from './query-parameters.ts';

// Recursive functions process the body: deeper nesting could overflow the stack.
const maxDepth = 64;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Accepts only JSON in UTF-8; an empty body counts as none. */
export function acceptJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined);
    try {
      void parse(request, decode(request, bytes), (error, body) => {
        done(error ?? (isDeeperThan(maxDepth, body) ? tooDeep() : null), body);
      });
    } catch (error) {
      done(error as Error);
    }
  });
}

const tooDeep = () => new Problem('BAD_REQUEST', { message: `The body is nested deeper than ${maxDepth} levels.` });

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

function decode(request: FastifyRequest, bytes: Buffer): string {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    throw new Problem('BAD_REQUEST', {
      message: `content-encoding ${encoding} is not supported. Send the body uncompressed.`,
    });
  }
  const charset = /charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('BAD_REQUEST', { message: `The charset ${charset} is not supported. Send JSON in UTF-8.` });
  }
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('BAD_REQUEST', { message: 'The body is not valid UTF-8.' });
  }
}

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, method = '', httpPart }) => {
  // Compiled by the first request: compiling all schemas is a third of the start of a server.
  let validator: Validator | undefined;
  return (given: unknown) => {
    const { value, undeletable } =
      httpPart === 'body'
        ? readBody(schema, given, method)
        : { value: readText(schema, given as Record<string, unknown>), undeletable: [] };
    const errors = undeletable.map(notDeletable);
    const unstorable = unstorableText(value);
    if (unstorable !== undefined) errors.push(notText(fieldName(unstorable)));
    validator ??= Compile(schema);
    errors.push(...schemaErrors(schema, validator, value));
    return errors.length > 0 ? { error: validationProblem(errors) } : { value };
  };
};

/** A field that null or "" deletes. Handlers get null for both. */
export function deletable<T extends TSchema>(schema: T) {
  const { type } = schema as { type?: string | string[] };
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'].flat() });
}

/** An optional field that null or "" deletes. */
export const deletableField = <T extends TSchema>(schema: T) => Type.Optional(deletable(schema));

export const deletableFields = <Fields extends Type.TProperties>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, deletableField(schema)])) as {
    [Name in keyof Fields]: Type.TOptional<Type.TUnsafe<Static<Fields[Name]> | null>>;
  };

/** Rejects a change without any of the `fields`. `warnings` lists the ignored fields. */
export function requireChange(change: object, fields: object, warnings: readonly string[]): void {
  if (Object.keys(change).length > 0) return;
  const message = ['No field to change.', ...warnings, `Send at least one of ${Object.keys(fields).join(', ')}.`];
  throw new Problem('MISSING_PARAMETER', {
    errors: [{ field: 'body', rule: 'minProperties', message: message.join(' ') }],
  });
}

/** The problem for a list of errors: a missing field has precedence over a wrong type. */
export function validationProblem(errors: readonly FieldError[]): Problem {
  const rules = new Set(errors.map(({ rule }) => rule));
  if (rules.has('required')) return new Problem('MISSING_PARAMETER', { errors });
  if (rules.has('type')) return new Problem('WRONG_PARAMETER_TYPE', { errors });
  return new Problem('INVALID_PARAMETER', { errors });
}

export const notDeletable = (field: string): FieldError => ({
  field,
  rule: 'not-deletable',
  message: `${field} cannot be deleted. Send a new value, or omit the field to keep the current one.`,
});

export const notText = (field: string): FieldError => ({
  field,
  rule: 'text',
  message: `${field} contains invalid characters (NUL or a lone surrogate). Remove them.`,
});

/**
 * Converts query and path values to the types of the schema. Lists are repeated keys or comma-separated. Invalid values
 * are passed to the validator unchanged.
 */
export function readText(schema: TSchema, query: Record<string, unknown>): Record<string, unknown> {
  const given = withCanonicalNames(schema, query);
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const text = given[name];
    const value = text === undefined || text === '' ? property.default : readValue(property, text);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function readValue(schema: Schema, text: unknown): unknown {
  if (schema.type === 'array') {
    const entries = [text].flat().flatMap((entry) => String(entry).split(','));
    return entries
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => readValue(schema.items ?? {}, entry));
  }
  if (typeof text !== 'string') return text;
  if (schema.type === 'integer' && /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  if (schema.type === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (schema.type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

/**
 * The known fields of a JSON body. null and "" mean "absent" in a POST and in list entries, and "delete" in a change;
 * `undeletable` lists the fields that cannot be deleted.
 */
export function readBody(
  schema: TSchema,
  given: unknown,
  method: string,
): { value: unknown; undeletable: readonly string[] } {
  if (given === null || given === undefined) return { value: {}, undeletable: [] };
  if (typeof given !== 'object' || Array.isArray(given)) return { value: given, undeletable: [] };
  const value: Record<string, unknown> = {};
  const undeletable: string[] = [];
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    if (!Object.hasOwn(given, name)) continue;
    const field = (given as Record<string, unknown>)[name];
    if (field !== null && field !== '') value[name] = withoutEmptyFields(property, field);
    else if (acceptsNull(property)) value[name] = null;
    else if (method !== 'POST') undeletable.push(name);
  }
  return { value, undeletable };
}

/** Removes empty optional fields from the entries of lists and maps; required fields stay for the validator. */
function withoutEmptyFields(schema: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { items, properties, patternProperties = {} } = schema;
  if (Array.isArray(value)) return items ? value.map((entry) => cleanEntry(items, entry)) : value;
  const [named] = Object.values(patternProperties);
  if (named) return mapFields(value, (_name, entry) => cleanEntry(named, entry));
  return properties
    ? mapFields(value, (name, field) => withoutEmptyFields(fieldOf(properties, name) ?? {}, field))
    : value;
}

function cleanEntry(schema: Schema, entry: unknown): unknown {
  const { properties, required = [] } = schema;
  if (!properties || typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry;
  return mapFields(entry, (name, field) => {
    if ((field !== null && field !== '') || !Object.hasOwn(properties, name)) {
      return withoutEmptyFields(fieldOf(properties, name) ?? {}, field);
    }
    if (acceptsNull(fieldOf(properties, name) ?? {})) return null;
    return required.includes(name) ? field : undefined;
  });
}

const mapFields = (given: object, read: (name: string, field: unknown) => unknown): object =>
  Object.fromEntries(
    Object.entries(given)
      .map(([name, field]) => [name, read(name, field)])
      .filter(([, field]) => field !== undefined),
  );

const acceptsNull = (schema: Schema) =>
  schema.type === undefined ? !schema.enum && !schema.anyOf : [schema.type].flat().includes('null');

/** The paths of the fields that the schema does not define. */
export function unknownFields(schema: TSchema, given: unknown): string[] {
  const found: string[] = [];
  walk(schema as Schema, given, '', found);
  return found;
}

/** A body of 1 MiB can have 100,000 unknown fields. */
const maxUnknown = 100;

function walk(schema: Schema, given: unknown, path: string, found: string[]): void {
  if (found.length >= maxUnknown || typeof given !== 'object' || given === null) return;
  if (Array.isArray(given)) {
    const { items } = schema;
    if (!items) return;
    for (let index = 0; index < given.length && found.length < maxUnknown; index += 1) {
      walk(items, given[index], `${path}[${index}]`, found);
    }
    return;
  }
  const { properties } = schema;
  if (!properties) return;
  for (const name of Object.keys(given)) {
    if (found.length >= maxUnknown) return;
    const at = path === '' ? name : `${path}.${name}`;
    const property = fieldOf(properties, name);
    if (property) walk(property, (given as Record<string, unknown>)[name], at, found);
    else found.push(at.length > 200 ? `${at.slice(0, 200)}…` : at);
  }
}

/** The path of the first string that PostgreSQL cannot store: with NUL or a lone surrogate. */
export function unstorableText(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = unstorableText(inner, `${path}/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
