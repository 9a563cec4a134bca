import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';
import { documentedPath } from '../../src/api/openapi/documented-path.ts';
import { type OpenApiDocument, type Operation, openApiDocument } from '../../src/api/openapi/openapi-document.ts';

/**
 * Holds every JSON answer of a server, as it goes over the wire, against the OpenAPI document of the version that was
 * asked for. A status that the document does not name, and a field that it does not know, fail the request.
 */
export function holdAgainstDocuments(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const { url = '', schema } = request.routeOptions;
    const isJson = String(reply.getHeader('content-type') ?? '').includes('application/json');
    // The method is refused before its route is asked.
    if (!schema?.response || reply.statusCode === 405 || !isJson || typeof payload !== 'string') return payload;
    const { apiVersion } = request;
    const fault = documentedAnswers(server, apiVersion).faultOf(
      request.method,
      url,
      reply.statusCode,
      JSON.parse(payload),
    );
    if (fault) throw new Error(`${request.method} ${url} of _${apiVersion} ${fault}`);
    return payload;
  });
}

const documents = new Map<string, DocumentedAnswers>();
const routeSets = new WeakMap<FastifyInstance, string>();

/** Servers with the same routes share their documents: compiling one takes as long as a hundred requests. */
function documentedAnswers(server: FastifyInstance, version: string): DocumentedAnswers {
  const routes = routeSets.get(server) ?? JSON.stringify(server.routeRecords.map(({ method, path }) => [method, path]));
  routeSets.set(server, routes);
  const key = `${version} ${routes}`;
  const known = documents.get(key) ?? new DocumentedAnswers(openApiDocument(server.routeRecords, version));
  documents.set(key, known);
  return known;
}

/** What one document says of answers. */
export class DocumentedAnswers {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    const { schemas } = document.components;
    this.#ajv.addSchema(exact({ components: { schemas } }) as object, 'document');
    // For records that others extend: their further fields are no strangers.
    this.#ajv.addSchema({ components: { schemas } }, 'open');
  }

  /** What the document says against an answer, if anything. */
  faultOf(method: string, url: string, code: number, body: unknown): string | undefined {
    const methods = this.#document.paths[documentedPath(url)];
    const operation = methods?.[method.toLowerCase()] ?? (method === 'PUT' ? methods?.patch : undefined);
    const statuses = operation?.['x-error-statuses'][code];
    const response = operation?.responses[code] ?? (statuses && operation?.responses.default);
    const schema = contentOf(this.#document, response)?.['application/json']?.schema;
    if (!response || !schema) return `is not said to answer ${code} in JSON`;
    const name = `${method} ${url} ${code}`;
    const isAsDocumented = this.#validators.get(name) ?? this.#ajv.compile(exact(schema) as object);
    this.#validators.set(name, isAsDocumented);
    if (!isAsDocumented(body)) return `answered ${JSON.stringify(isAsDocumented.errors)}`;
    // The schema of failures is shared; each operation lists what it can fail with.
    const { status } = body as { status: string };
    const isNamed = statuses === undefined || statuses.includes(status);
    return isNamed ? undefined : `is not said to answer ${code} with ${status}`;
  }
}

function contentOf({ components }: OpenApiDocument, response: Operation['responses'][string] | undefined) {
  if (!response || 'content' in response) return response?.content;
  return components.responses[response.$ref.split('/').at(-1) ?? '']?.content;
}

/** The schema with references into the document, and without room for fields that are not named. */
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

/** A part of a record: the other parts know what it does not. */
function open(part: object): object {
  if ('$ref' in part) return { $ref: `open${part.$ref}` };
  const { additionalProperties: _, ...rest } = exact(part) as { additionalProperties?: unknown };
  return rest;
}
