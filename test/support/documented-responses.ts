import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';
import { documentedPath } from '../../src/api/openapi/examples.ts';
import { type OpenApiDocument, type Operation, openApiDocument } from '../../src/api/openapi/openapi-document.ts';

/**
 * Validates every JSON response against the OpenAPI document of the requested version. An undocumented status or field
 * fails the request.
 */
export function validateResponses(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const { url = '', schema } = request.routeOptions;
    const isJson = String(reply.getHeader('content-type') ?? '').includes('application/json');
    // METHOD_NOT_ALLOWED is not part of a route.
    if (!schema?.response || reply.statusCode === 405 || !isJson || typeof payload !== 'string') return payload;
    const { apiVersion } = request;
    const fault = documentedResponses(server, apiVersion).faultOf(
      request.method,
      url,
      reply.statusCode,
      JSON.parse(payload),
    );
    if (fault) throw new Error(`${request.method} ${url} of _${apiVersion} ${fault}`);
    return payload;
  });
}

const documents = new Map<string, DocumentedResponses>();
const routeSets = new WeakMap<FastifyInstance, string>();

/** Servers with the same routes share documents: compiling one takes as long as 100 requests. */
function documentedResponses(server: FastifyInstance, version: string): DocumentedResponses {
  const routes = routeSets.get(server) ?? JSON.stringify(server.routeRecords.map(({ method, path }) => [method, path]));
  routeSets.set(server, routes);
  const key = `${version} ${routes}`;
  const existing = documents.get(key) ?? new DocumentedResponses(openApiDocument(server.routeRecords, version));
  documents.set(key, existing);
  return existing;
}

/** The responses of an OpenAPI document. */
export class DocumentedResponses {
  readonly #document: OpenApiDocument;
  // The tests of the document validate its schemas. Optimizing the validators takes longer than it saves.
  readonly #ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    allErrors: true,
    code: { optimize: false },
  });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    const { schemas } = document.components;
    this.#ajv.addSchema(exact({ components: { schemas } }) as object, 'document');
    // Extended records have additional fields.
    this.#ajv.addSchema({ components: { schemas } }, 'open');
  }

  /** The difference between a response and the document, if any. */
  faultOf(method: string, url: string, code: number, body: unknown): string | undefined {
    const methods = this.#document.paths[documentedPath(url)];
    const operation = methods?.[method.toLowerCase()] ?? (method === 'PUT' ? methods?.patch : undefined);
    const statuses = operation?.['x-error-statuses'][code];
    const response = operation?.responses[code] ?? (statuses && operation?.responses.default);
    const schema = contentOf(this.#document, response)?.['application/json']?.schema;
    if (!response || !schema) return `has no documented JSON response for ${code}`;
    const name = `${method} ${url} ${code}`;
    const isAsDocumented = this.#validators.get(name) ?? this.#ajv.compile(exact(schema) as object);
    this.#validators.set(name, isAsDocumented);
    if (!isAsDocumented(body)) return `returned an undocumented response: ${JSON.stringify(isAsDocumented.errors)}`;
    // The error schema is shared; each operation lists its errors.
    const { status } = body as { status: string };
    const isNamed = statuses === undefined || statuses.includes(status);
    return isNamed ? undefined : `does not document ${status} for ${code}`;
  }
}

function contentOf({ components }: OpenApiDocument, response: Operation['responses'][string] | undefined) {
  if (!response || 'content' in response) return response?.content;
  return components.responses[response.$ref.split('/').at(-1) ?? '']?.content;
}

/** The schema with resolved references that rejects additional fields. */
function exact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(exact);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, allOf, ...rest } = schema as { $ref?: string; allOf?: object[]; properties?: object; type?: unknown };
  if (allOf) return { allOf: allOf.map(open), unevaluatedProperties: false };
  const inner = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, exact(value)]));
  const isRecord = rest.type === 'object' && rest.properties !== undefined && !('patternProperties' in rest);
  return {
    ...inner,
    ...($ref !== undefined && { $ref: `document${$ref}` }),
    ...(isRecord && !('additionalProperties' in rest) && { additionalProperties: false }),
  };
}

/** A part of an allOf, which must allow the fields of the other parts. */
function open(part: object): object {
  if ('$ref' in part) return { $ref: `open${part.$ref}` };
  const { additionalProperties: _, ...rest } = exact(part) as { additionalProperties?: unknown };
  return rest;
}

export const inlineContentOf = (response: Operation['responses'][string] | undefined) =>
  response && 'content' in response ? response.content : {};

export const operationsOf = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
