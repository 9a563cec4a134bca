import { type OpenApiDocument, type Operation, successOf } from '../../src/api/openapi/openapi-document.ts';
import { responseSchema } from '../../src/api/openapi/responses.ts';
import type { Schema } from '../../src/json-schema.ts';

/** TypeScript types for an OpenAPI document: named records, and the input and response of each operation. */
export function apiTypesText(document: OpenApiDocument): string {
  const { info, paths, components } = document;
  const records = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${typeName(name)} = ${typeText(schema)};`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const summary = operation.summary.replaceAll('*/', '');
      return `  /** ${summary} */\n  '${method.toUpperCase()} ${canonical(path)}': {\n    input: ${inputText(operation)};\n    response: ${responseText(operation, document)};\n  };`;
    }),
  );
  return [
    `// Made of the API ${info.version} by console/api-types/generate.ts; not written by hand.`,
    'type WithRequired<Type, Name extends keyof Type> = Type & Required<Pick<Type, Name>>;',
    ...records,
    `export interface Operations {\n${operations.join('\n')}\n}`,
    '',
  ].join('\n\n');
}

const canonical = (path: string) =>
  path.replace('/datapoints/', '/data-points/').replace('/salespartners/', '/sales-partners/');

function inputText({ parameters: all, requestBody }: Operation): string {
  const parts: string[] = [];
  // Parameters of every operation are declared once; the client sends them.
  const parameters = all.filter((parameter) => 'in' in parameter);
  for (const place of ['path', 'query'] as const) {
    const named = parameters.filter((parameter) => parameter.in === place);
    if (named.length === 0) continue;
    const isNeeded = ({ required, schema }: (typeof named)[number]) => required && schema.default === undefined;
    const fields = named.map((parameter) => fieldText(parameter.name, parameter.schema, isNeeded(parameter)));
    parts.push(`${place}${named.some(isNeeded) ? '' : '?'}: { ${fields.join(' ')} }`);
  }
  const content = requestBody?.content as Record<string, { schema: Schema }> | undefined;
  if (content) {
    const json = content['application/json'];
    parts.push(
      `body${requestBody?.required ? '' : '?'}: ${json ? typeText(json.schema, { isSent: true }) : 'FormData'}`,
    );
  }
  return `{ ${parts.join('; ')} }`;
}

function responseText(operation: Operation, document: OpenApiDocument): string {
  const response = responseSchema(successOf(operation, document)?.content['application/json']?.schema);
  return response ? typeText(response) : 'unknown';
}

interface Way {
  /** For requests, properties with a default are optional. */
  isSent?: boolean;
}

export function typeText(schema: Schema, way: Way = {}): string {
  const { $ref, enum: values, const: value, anyOf, type, properties, items } = schema;
  const oneOf = schema.oneOf as Schema[] | undefined;
  const allOf = schema.allOf as Schema[] | undefined;
  if ($ref) return typeName($ref.split('/').at(-1) ?? '');
  if (values) return either(values.map((one) => JSON.stringify(one)));
  if (value !== undefined) return JSON.stringify(value);
  const choices = anyOf ?? oneOf;
  if (choices) return either(choices.map((one) => typeText(one, way)));
  if (allOf) return withRequired(allOf.map((one) => `(${typeText(one, way)})`).join(' & '), schema.required);
  if (Array.isArray(type)) return either(type.map((one) => typeText({ ...schema, type: one }, way)));
  if (type === 'array') return `(${items ? typeText(items, way) : 'unknown'})[]`;
  if (properties) {
    const required = new Set(schema.required ?? []);
    const isNeeded = (name: string, field: Schema) =>
      required.has(name) && !(way.isSent && field.default !== undefined);
    const fields = Object.entries(properties).map(([name, field]) =>
      fieldText(name, field, isNeeded(name, field), way),
    );
    return `{ ${fields.join(' ')} }`;
  }
  if (type === 'object') return `Record<string, ${mapped(schema, way)}>`;
  return plainTypes[String(type)] ?? 'unknown';
}

/** Fields that a record requires of the records that it extends. */
function withRequired(type: string, names: readonly string[] | undefined): string {
  if (!names?.length) return type;
  return `WithRequired<${type}, ${either(names.map((name) => JSON.stringify(name)))}>`;
}

const plainTypes: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function mapped({ patternProperties, additionalProperties }: Schema, way: Way): string {
  const kinds = [...Object.values(patternProperties ?? {}), additionalProperties].filter(
    (kind): kind is Schema => typeof kind === 'object' && kind !== null,
  );
  return kinds.length > 0 ? either(kinds.map((kind) => typeText(kind, way))) : 'unknown';
}

function fieldText(name: string, schema: Schema, isNeeded: boolean, way: Way = {}): string {
  const comment = schema.description ? `/** ${schema.description.replaceAll('*/', '')} */ ` : '';
  return `${comment}${JSON.stringify(name)}${isNeeded ? '' : '?'}: ${typeText(schema, way)};`;
}

const either = (types: string[]) =>
  types.length === 1 ? (types[0] ?? 'never') : `(${[...new Set(types)].join(' | ')})`;
const typeName = (name: string) => name.replace(/\W+/g, '_');
