import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest, RawServerDefault, RouteGenericInterface } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { invalidateCounts } from '../database/counting.ts';
import type { ProblemName } from '../problems.ts';
import { type Permission, requirePermission } from './access.ts';
import type { Caller } from './authenticate.ts';
import { readDeepPage } from './deep-pages.ts';
import { httpCodeOf, responseSchemas, success, withTop } from './envelope.ts';
import { replayResponse } from './idempotency.ts';
import { isListOf, joinLists, ownQueryOf, withPartners } from './joined-lists.ts';
import { linkedDataType, wantsLinkedData, withFormat } from './linked-data.ts';
import { registerPreflight } from './public-responses.ts';
import { checkQuery, ignoredWarning } from './query-parameters.ts';
import { unknownFields } from './request-values.ts';
import type { Services } from './services.ts';

export type RouteRequest<Params extends TSchema, Query extends TSchema, Body extends TSchema, Who> = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  IncomingMessage,
  { params: Params; querystring: Query; body: Body },
  TypeBoxTypeProvider
> & { caller: Who extends 'anybody' ? null : Caller };

/**
 * Who may call a route: a partner with its key or one of its users; a web page of any origin with the partner's public
 * key; or anybody. The last two are counted by address.
 */
export type Access = 'partner' | 'public' | 'anybody';

interface RouteDefinition<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Response extends TSchema,
  Who extends Access,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: `/api/${string}`;
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** What is sent in place of a JSON body, by its media type: for the documents, the route reads it by itself. */
  consumes?: Readonly<Record<string, TSchema>>;
  /** A partner unless it is given. */
  access?: Who;
  /** What it asks of a user; without it any user of the partner may call. */
  needs?: Permission;
  /** Of a public one: how long browsers and caches may keep the answer. They keep none unless it is given. */
  cacheSeconds?: number;
  /** What the envelope's `response` holds. */
  response: Response;
  /** Fields of the response that stand beside it as well, for clients that look for them there. */
  alsoAtTop?: readonly string[];
  /** Beyond those that every route can answer with. */
  problems?: readonly ProblemName[];
  /** The response as JSON-LD, for requests that accept it. */
  linkedData?(response: Static<Response>): object;
  handler(request: RouteRequest<Params, Query, Body, Who>): Promise<Static<Response>>;
}

const always = [
  'NOT_AUTHORIZED',
  'BAD_PRIVATE_KEY',
  'BAD_ACCESS_TOKEN',
  'FORBIDDEN',
  'QUOTA_LIMIT_EXCEED',
  'SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
] as const;
const alwaysInPublic = [
  'NOT_AUTHORIZED',
  'BAD_PUBLIC_KEY',
  'QUOTA_LIMIT_EXCEED',
  'SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
] as const;
const whenThereIsInput = ['MISSING_PARAMETER', 'WRONG_PARAMETER_TYPE', 'INVALID_PARAMETER', 'BAD_REQUEST'] as const;

/** What any route can answer with when things are wrong. */
export const usualProblems = (access: Access): readonly ProblemName[] => [
  ...(access === 'public' ? alwaysInPublic : always),
  ...whenThereIsInput,
];

/** One endpoint of the API for a partner: what goes in, what comes out, what can be wrong, and the work. */
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
    needs,
    cacheSeconds,
    params,
    query,
    body,
    consumes,
    response,
    alsoAtTop,
    problems = [],
    linkedData,
    handler,
  } = definition;
  if (access === 'public') registerPreflight(server, path);
  const isList = method === 'GET' && access === 'partner' && isListOf(response, query);
  const asked = linkedData ? withFormat(query) : query;
  const mayConflict = method === 'POST' ? (['CONFLICT'] as const) : [];
  server.route({
    method,
    url: path,
    config: {
      ...(access !== 'anybody' && { access }),
      ...(needs && { needs }),
      ...(cacheSeconds !== undefined && { cacheSeconds }),
      ...(linkedData && { isLinkedData: true }),
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
      response: responseSchemas(response, [...usualProblems(access), ...mayConflict, ...problems], alsoAtTop),
    } as object,
    preValidation: async (request) => {
      if (needs && request.caller) requirePermission(request.caller, needs);
      const unknown = body ? unknownFields(body, request.body) : [];
      if (unknown.length > 0) request.warnings.push(ignoredWarning('field', unknown));
      checkQuery(request, access, asked);
    },
    ...(method === 'POST' && { preHandler: replayResponse }),
    // Also of an answer that is repeated for its Idempotency-Key.
    ...(alsoAtTop && { preSerialization: async (_request, _reply, payload) => withTop(payload, alsoAtTop) }),
    handler: async (request, reply) => {
      const work = () => handler(request as RouteRequest<Params, Query, Body, Who>);
      const answer = await (request.partnersRead ? joinLists(request, work) : readDeepPage(request, work));
      if (linkedData && wantsLinkedData(request))
        return reply.type(linkedDataType).send(JSON.stringify(linkedData(answer)));
      reply.code(httpCodeOf(answer));
      return success(answer, request.warnings);
    },
  });
}

/** What handlers find on every request beyond what the framework gives. */
export function decorateRequests(server: FastifyInstance, services: Services): void {
  server.decorate('services', services);
  server.decorateRequest('warnings');
  server.addHook('onRequest', async (request) => {
    request.warnings = [];
  });
  server.addHook('onSend', async ({ method, caller }) => {
    if (method !== 'GET' && method !== 'HEAD' && caller) invalidateCounts(services.database.pool, caller.partnerId);
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    services: Services;
  }
  interface FastifyContextConfig {
    /** What the route asks of a user. */
    needs?: Permission;
  }
  interface FastifyRequest {
    /** Sentences for the answer's `warnings`. */
    warnings: string[];
  }
}
