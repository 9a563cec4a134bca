import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import type { ProblemName } from '../problems.ts';
import { type Permission, requirePermission } from './access.ts';
import { responseSchemas, success } from './envelope.ts';
import { registerPreflight } from './public-responses.ts';
import { checkQuery } from './query-parameters.ts';
import { type Access, type RouteRequest, usualProblems } from './route.ts';

interface File {
  /** A stream is read as fast as the client takes it, and destroyed when the client goes away. */
  content: Readable | Uint8Array | string;
  contentType: string;
  /** What a browser saves it as. */
  name?: string;
  /** Shown where the browser can, or saved; saved unless it is given. */
  disposition?: 'attachment' | 'inline';
  sizeBytes?: number;
  /** 200 unless it is given: 206 for a range, 304 and 416 without content. */
  code?: 200 | 206 | 304 | 416;
  headers?: Readonly<Record<string, string>>;
}

/** What a handler answers with in place of the envelope's `response`. */
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
> {
  path: `/api/${string}`;
  summary: string;
  params?: Params;
  query?: Query;
  /** A partner unless it is given. */
  access?: Who;
  needs?: Permission;
  /** The media types that it may answer with. */
  produces: readonly string[];
  /** For a route that can also answer in JSON: what the envelope's `response` then holds. */
  response?: Response;
  /** Beyond those that every route can answer with. */
  problems?: readonly ProblemName[];
  handler(request: RouteRequest<Params, Query, TSchema, Who>): Promise<FileResponse | Static<Response>>;
}

/** A GET that answers with a file. Who may call it and what goes wrong is as with every route. */
export function fileRoute<
  Params extends TSchema,
  Query extends TSchema,
  Response extends TSchema = Type.TNever,
  const Who extends Access = 'partner',
>(server: FastifyInstance, definition: FileRouteDefinition<Params, Query, Response, Who>): void {
  const { path, summary, params, query, access = 'partner', needs, produces, response, problems = [] } = definition;
  const who: Access = access;
  if (who === 'public') registerPreflight(server, path);
  const answers = responseSchemas(response ?? Type.Never(), [...usualProblems(access), ...problems]);
  server.route({
    method: 'GET',
    url: path,
    config: { ...(who !== 'anybody' && { access: who }), ...(needs && { needs }) },
    schema: {
      summary,
      ...(params && { params }),
      ...(query && { querystring: query }),
      produces,
      response: response ? answers : { ...answers, 200: binary },
    } as object,
    preValidation: async (request) => {
      if (needs && request.caller) requirePermission(request.caller, needs);
      checkQuery(request, who, query);
    },
    handler: async (request, reply) => {
      const answer = await definition.handler(request as RouteRequest<Params, Query, TSchema, Who>);
      if (!(answer instanceof FileResponse)) return success(answer, request.warnings);
      const { content, contentType, sizeBytes, code = 200, headers = {} } = answer.file;
      reply.code(code).type(contentType).header('content-disposition', dispositionOf(answer.file)).headers(headers);
      if (sizeBytes !== undefined) reply.header('content-length', sizeBytes);
      if (request.warnings.length > 0) reply.header('x-warnings', headerText(request.warnings.join(' ')));
      if (request.method !== 'HEAD') return reply.send(content);
      // Nobody will read it, so that it must not even begin.
      if (content instanceof Readable) content.once('error', () => {}).destroy();
      // An empty stream: of an empty text the framework would say that the file is empty.
      return reply.send(Readable.from([]));
    },
  });
}

/** A file has no envelope for its warnings. Whatever a header cannot hold is written as in an address. */
const headerText = (text: string) =>
  text
    .toWellFormed()
    .replace(/[^\x20-\x7e]/gu, encodeURIComponent)
    .slice(0, 1000);

/** The schema of a file, by which the documents tell it from JSON. */
const binary = Type.Unsafe<never>({ type: 'string', format: 'binary' });

function dispositionOf({ disposition = 'attachment', name }: File): string {
  if (name === undefined) return disposition;
  // Old programs read the first form only; the second has every letter (RFC 6266).
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
