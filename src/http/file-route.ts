import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import type { Sql } from '../database/connection.ts';
import type { ByteRange } from '../storage/file-store.ts';
import { type Access, checkRequirements } from './access.ts';
import { responseSchemas, success } from './envelope.ts';
import { registerPreflight } from './public-responses.ts';
import { checkQuery } from './query-parameters.ts';
import { type EndpointDefinition, type RouteRequest, readFrom, usualProblems } from './route.ts';

interface File {
  /** A stream is read at the speed of the client, and destroyed when the client disconnects. */
  content: Readable | Uint8Array | string;
  contentType: string;
  /** The file name for downloads. */
  name?: string;
  /** Default: attachment. */
  disposition?: 'attachment' | 'inline';
  sizeBytes?: number;
  /** Default: 200. 206 for a range, 304 and 416 without content. */
  code?: 200 | 206 | 304 | 416;
  headers?: Readonly<Record<string, string>>;
}

/** Returned by a handler instead of JSON. */
export class FileResponse {
  readonly file: File;

  constructor(file: File) {
    this.file = file;
  }
}

interface FileRouteDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Response extends TSchema,
  Who extends Access,
> extends EndpointDefinition<Params, Query, Who> {
  /** The media types of the file. */
  produces: readonly string[];
  /** The schema of `response`, for a route that can also return JSON. */
  response?: Response;
  /** `sql` is the database of `reads`. */
  handler(request: RouteRequest<Params, Query, TSchema, Who>, sql: Sql): Promise<FileResponse | Static<Response>>;
}

/** A GET endpoint that returns a file, with the authentication and errors of `route`. */
export function fileRoute<
  Params extends TSchema,
  Query extends TSchema,
  Response extends TSchema = Type.TNever,
  const Who extends Access = 'partner',
>(server: FastifyInstance, definition: FileRouteDefinition<Params, Query, Response, Who>): void {
  const { path, summary, params, query, access = 'partner', produces, response, problems = [] } = definition;
  const { reads = 'primary' } = definition;
  const who: Access = access;
  if (who === 'public') registerPreflight(server, path);
  const schemas = responseSchemas(response ?? Type.Never(), [...usualProblems(access), ...problems]);
  server.route({
    method: 'GET',
    url: path,
    config: { ...(who !== 'anonymous' && { access: who }), requirements: definition, reads },
    schema: {
      summary,
      ...(params && { params }),
      ...(query && { querystring: query }),
      produces,
      response: response ? schemas : { ...schemas, 200: binary },
    } as object,
    preValidation: async (request) => {
      if (request.caller) checkRequirements(request.caller, definition);
      checkQuery(request, who, query);
    },
    handler: async (request, reply) => {
      const result = await readFrom(reads, request, reply, (sql) =>
        definition.handler(request as RouteRequest<Params, Query, TSchema, Who>, sql),
      );
      if (!(result instanceof FileResponse)) return success(result, request.warnings);
      const { content, contentType, sizeBytes, code = 200, headers = {} } = result.file;
      reply.code(code).type(contentType).header('content-disposition', dispositionOf(result.file)).headers(headers);
      if (sizeBytes !== undefined) reply.header('content-length', sizeBytes);
      if (request.warnings.length > 0) reply.header('x-warnings', headerText(request.warnings.join(' ')));
      if (request.method !== 'HEAD') return reply.send(content);
      if (content instanceof Readable) content.once('error', () => {}).destroy();
      // An empty stream: Fastify would set content-length 0 for an empty string.
      return reply.send(Readable.from([]));
    },
  });
}

/** Warnings of a file are sent in a header, percent-encoded where needed. */
const headerText = (text: string) =>
  text
    .toWellFormed()
    .replace(/[^\x20-\x7e]/gu, encodeURIComponent)
    .slice(0, 1000);

/** Marks a file in the OpenAPI documents. */
const binary = Type.Unsafe<never>({ type: 'string', format: 'binary' });

function dispositionOf({ disposition = 'attachment', name }: File): string {
  if (name === undefined) return disposition;
  // The ASCII form is for old clients (RFC 6266).
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Parses a Range header. Several ranges return undefined: the whole file is sent (RFC 9110, 14.2). */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { from: sizeBytes - length, to: sizeBytes - 1 };
  }
  const from = Number(first);
  const to = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= sizeBytes ? 'unsatisfiable' : { from, to };
}
