import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault, RouteGenericInterface } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import type { Sql } from '../database/connection.ts';
import { invalidateCounts } from '../database/counting.ts';
import { isDatabaseUnavailable } from '../database/faults.ts';
import { currentPosition, ReplicaReads } from '../database/read-replica.ts';
import type { Transaction } from '../database/transaction.ts';
import { propertiesOf } from '../json-schema.ts';
import type { ProblemName } from '../problems.ts';
import { type Access, type CallerRequirements, checkRequirements } from './access.ts';
import type { Caller } from './authenticate.ts';
import { httpCodeOf, responseSchemas, success, withTop } from './envelope.ts';
import { replayResponse } from './idempotency.ts';
import { isListOf, joinLists, ownQueryOf, readDeepPage, withPartners } from './lists.ts';
import { registerPreflight } from './public-responses.ts';
import { capPageSize, checkQuery, ignoredWarning, type PageLimit } from './query-parameters.ts';
import type { Services } from './services.ts';
import { cookieAttributes, cookieOf, safeMethods, sessionCookieOf } from './session-cookie.ts';
import { unknownFields } from './validation.ts';

export type RouteRequest<Params extends TSchema, Query extends TSchema, Body extends TSchema, Who> = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  IncomingMessage,
  { params: Params; querystring: Query; body: Body },
  TypeBoxTypeProvider
> & { caller: Who extends 'anonymous' ? null : Caller };

/** The parts that `route` and `fileRoute` have in common. */
export interface EndpointDefinition<Params extends TSchema, Query extends TSchema, Who extends Access>
  extends CallerRequirements {
  path: `/api/${string}`;
  summary: string;
  params?: Params;
  query?: Query;
  /** Default: partner. */
  access?: Who;
  /** In addition to `usualProblems`. */
  problems?: readonly ProblemName[];
  /** Default: primary. A route that reads from the replica only reads, and uses no other connection than `sql`. */
  reads?: ReadsFrom;
}

interface RouteDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Response extends TSchema,
  Who extends Access,
> extends EndpointDefinition<Params, Query, Who> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: Body;
  /** Non-JSON bodies by media type, for the documents; the route parses them itself. */
  consumes?: Readonly<Record<string, TSchema>>;
  /** Cache lifetime of a public response; by default, it is not cached. */
  cacheSeconds?: number;
  /** The schema of `response` in the envelope. */
  response: Response;
  /** Fields of the response that are copied to the top level of the envelope. */
  alsoAtTop?: readonly string[];
  /** The response as JSON-LD, for requests that accept it. */
  linkedData?(response: Static<Response>): object;
  /** Limits `max` of a list. By default, its maximum is the limit. */
  pageLimit?(request: RouteRequest<Params, Query, Body, Who>): PageLimit;
  /** `sql` is the database of `reads`. */
  handler(request: RouteRequest<Params, Query, Body, Who>, sql: Sql): Promise<Static<Response>>;
}

const keyProblems = ['NOT_AUTHORIZED', 'BAD_PRIVATE_KEY', 'BAD_ACCESS_TOKEN', 'FORBIDDEN'] as const;
const publicKeyProblems = ['NOT_AUTHORIZED', 'BAD_PUBLIC_KEY'] as const;
const serverProblems = ['QUOTA_LIMIT_EXCEED', 'SERVER_ERROR', 'SERVICE_UNAVAILABLE'] as const;
const inputProblems = ['MISSING_PARAMETER', 'WRONG_PARAMETER_TYPE', 'INVALID_PARAMETER', 'BAD_REQUEST'] as const;

/** The problems of every route. A read with an unknown salesPartnerId is NOT_FOUND. */
export const usualProblems = (access: Access, method = 'GET'): readonly ProblemName[] => [
  ...(access === 'public' ? publicKeyProblems : keyProblems),
  ...(access === 'partner' && method === 'GET' ? (['NOT_FOUND'] as const) : []),
  ...serverProblems,
  ...inputProblems,
];

/** Registers an endpoint: schemas, permissions, problems and the handler. */
export function route<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  const Response extends TSchema,
  const Who extends Access = 'partner',
>(server: FastifyInstance, definition: RouteDefinition<Params, Query, Body, Response, Who>): void {
  const {
    method,
    path,
    summary,
    access = 'partner',
    cacheSeconds,
    params,
    query,
    body,
    consumes,
    response,
    alsoAtTop,
    problems = [],
    reads = 'primary',
    linkedData,
    pageLimit,
    handler,
  } = definition;
  if (reads === 'replica' && method !== 'GET') throw new Error(`${method} ${path} cannot read from the replica.`);
  if (access === 'public') registerPreflight(server, path);
  const isList = method === 'GET' && access === 'partner' && isListOf(response, query);
  const asked = linkedData ? withFormat(query) : query;
  const mayConflict = method === 'POST' ? (['CONFLICT'] as const) : [];
  server.route({
    method,
    url: path,
    config: {
      ...(access !== 'anonymous' && { access }),
      requirements: definition,
      ...(cacheSeconds !== undefined && { cacheSeconds }),
      ...(linkedData && { isLinkedData: true }),
      reads,
      isList,
      ownQuery: ownQueryOf(query),
    },
    schema: {
      summary,
      ...(params && { params }),
      ...(asked && { querystring: isList ? withPartners(asked) : asked }),
      ...(linkedData && { produces: [linkedDataType] }),
      ...(body && { body }),
      ...(consumes && { consumes }),
      response: responseSchemas(response, [...usualProblems(access, method), ...mayConflict, ...problems], alsoAtTop),
    } as object,
    preValidation: (request, _reply, done) => {
      if (request.caller) checkRequirements(request.caller, definition);
      const unknown = body ? unknownFields(body, request.body) : [];
      if (unknown.length > 0) request.warnings.push(ignoredWarning('field', unknown));
      checkQuery(request, access, asked);
      done();
    },
    ...(method === 'POST' && { preHandler: replayResponse }),
    // A hook, because a replayed response skips the handler.
    ...(alsoAtTop && { preSerialization: async (_request, _reply, payload) => withTop(payload, alsoAtTop) }),
    handler: async (request, reply) => {
      if (pageLimit) capPageSize(request, pageLimit(request as RouteRequest<Params, Query, Body, Who>));
      const work = (one: FastifyRequest = request) =>
        readFrom(reads, one, reply, (sql) => handler(one as RouteRequest<Params, Query, Body, Who>, sql));
      const result = await (request.partnersRead ? joinLists(request, work) : readDeepPage(request, work));
      if (linkedData && wantsLinkedData(request))
        return reply.type(linkedDataType).send(JSON.stringify(linkedData(result)));
      reply.code(httpCodeOf(result));
      return success(result, request.warnings);
    },
  });
}

interface DeleteDefinition<Params extends TSchema, Query extends TSchema>
  extends EndpointDefinition<Params, Query, 'partner'> {
  /** Runs in a transaction. */
  remove(transaction: Transaction, request: RouteRequest<Params, Query, TSchema, 'partner'>): Promise<void>;
}

/** Registers a DELETE endpoint that returns `{ success: true }`. */
export function deleteRoute<Params extends TSchema, Query extends TSchema>(
  server: FastifyInstance,
  { remove, ...definition }: DeleteDefinition<Params, Query>,
): void {
  route(server, {
    ...definition,
    method: 'DELETE',
    response: Type.Object({ success: Type.Literal(true) }),
    handler: async (request) => {
      await server.services.database.transaction((transaction) => remove(transaction, request));
      return { success: true as const };
    },
  });
}

/** Adds `services` and `warnings` for the handlers. */
export function decorateRequests(server: FastifyInstance, services: Services): void {
  server.decorate('services', services);
  server.decorateRequest('warnings');
  server.addHook('onRequest', (request, _reply, done) => {
    request.warnings = [];
    done();
  });
  server.addHook('onSend', ({ method, caller }, _reply, _payload, done) => {
    if (method !== 'GET' && method !== 'HEAD' && caller) invalidateCounts(services.database.pool, caller.partnerId);
    done();
  });
}

export const linkedDataType = 'application/ld+json';

const formats = ['json', 'schema.org'] as const;
const format = Type.Optional(
  Type.Enum([...formats], {
    description: `schema.org returns a LocalBusiness as ${linkedDataType}, like that Accept header`,
  }),
);

/** The query of a route that also returns JSON-LD. */
const withFormat = (query: TSchema | undefined): TSchema => Type.Object({ ...propertiesOf(query), format });

function wantsLinkedData({ query, headers }: FastifyRequest): boolean {
  const { format: asked } = query as { format?: (typeof formats)[number] };
  return asked === undefined ? (headers.accept ?? '').includes(linkedDataType) : asked === 'schema.org';
}

/** The server that a route reads from. `replica`: the replica while it is usable; the response may lag. */
export type ReadsFrom = 'primary' | 'replica';

/** Upper bound in seconds, in responses that were read from the replica. */
const lagHeader = 'x-replica-lag';

/** The position of the last write of a console session, so that its user sees it in the next responses. */
const positionName = 'waypost-position';

/** Runs the handler of a route with the database that it reads from. */
export async function readFrom<T>(
  from: ReadsFrom,
  request: FastifyRequest,
  reply: FastifyReply,
  handler: (sql: Sql) => Promise<T>,
): Promise<T> {
  const { database } = request.server.services;
  const sql = from === 'replica' ? database.laggingReads(Number(cookieOf(request, positionName)) || 0) : database.pool;
  if (!(sql instanceof ReplicaReads)) return handler(sql);
  try {
    const result = await handler(sql);
    if (sql.lagSeconds !== undefined) reply.header(lagHeader, sql.lagSeconds);
    return result;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    // The primary decides: the caller may have created the requested location a moment ago.
    return handler(database.pool);
  }
}

/** Stores the position of each write of a console session in a cookie until every usable replica has replayed it. */
export function rememberWrites(server: FastifyInstance): void {
  const { database, config } = server.services;
  if (!database.replica) return;
  const maxAge = Math.ceil(config.databaseReadMaxLagMs / 1000) + 1;
  server.addHook('onSend', async (request, reply) => {
    if (safeMethods.has(request.method) || sessionCookieOf(request) === undefined) return;
    // The response must not wait for a database that is not available.
    if (reply.statusCode >= 500) return;
    const position = await currentPosition(database.pool).catch(() => undefined);
    if (position === undefined) return;
    reply.header('set-cookie', `${positionName}=${position}; ${cookieAttributes(request)}; Max-Age=${maxAge}`);
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    services: Services;
  }
  interface FastifyContextConfig {
    requirements?: CallerRequirements;
    reads?: ReadsFrom;
    /** Whether the Accept header decides between JSON and JSON-LD. */
    isLinkedData?: boolean;
  }
  interface FastifyRequest {
    /** The `warnings` of the response. */
    warnings: string[];
  }
}
