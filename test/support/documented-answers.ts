import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';
import { type OpenApiDocument, openApiDocument } from '../../src/api/openapi/openapi-document.ts';

/**
 * Holds every JSON answer of a server, as it goes over the wire, against the OpenAPI document of the version that was
 * asked for. A status that the document does not name, and a field that it does not know, fail the request.
 */
export function holdAgainstDocuments(server: FastifyInstance): void {
  const documents = new Map<string, DocumentedAnswers>();
  server.addHook('onSend', async (request, reply, payload) => {
    const { url = '', schema } = request.routeOptions;
    const isJson = String(reply.getHeader('content-type') ?? '').includes('json');
    // The method is refused before its route is asked.
    if (!schema?.response || reply.statusCode === 405 || !isJson || typeof payload !== 'string') return payload;
    const { apiVersion } = request;
    const document =
      documents.get(apiVersion) ?? new DocumentedAnswers(openApiDocument(server.routeRecords, apiVersion));
    documents.set(apiVersion, document);
    const fault = document.faultOf(request.method, url, reply.statusCode, JSON.parse(payload));
    if (fault) throw new Error(`${request.method} ${url} of _${apiVersion} ${fault}`);
    return payload;
  });
}

/** What one document says of answers. */
export class DocumentedAnswers {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv.addSchema(exact({ components: { schemas: document.components.schemas } }) as object, 'document');
  }

  /** What the document says against an answer, if anything. */
  faultOf(method: string, url: string, code: number, body: unknown): string | undefined {
    const operation = this.#document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const schema = operation?.responses[code]?.content['application/json']?.schema;
    if (!schema) return `is not said to answer ${code} in JSON`;
    const name = `${method} ${url} ${code}`;
    const isAsDocumented = this.#validators.get(name) ?? this.#ajv.compile(exact(schema) as object);
    this.#validators.set(name, isAsDocumented);
    return isAsDocumented(body) ? undefined : `answered ${JSON.stringify(isAsDocumented.errors)}`;
  }
}

/** The schema with references into the document, and without room for fields that are not named. */
function exact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(exact);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema as { $ref?: string; properties?: object; type?: unknown };
  const inner = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, exact(value)]));
  const isRecord = rest.type === 'object' && rest.properties !== undefined && !('patternProperties' in rest);
  return {
    ...inner,
    ...($ref !== undefined && { $ref: `document${$ref}` }),
    ...(isRecord && !('additionalProperties' in rest) && { additionalProperties: false }),
  };
}
