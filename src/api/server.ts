import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { eventRoutes } from '../events/event-service.ts';
import { authenticate, KeyCache } from '../http/authenticate.ts';
import { closeGracefully, connectionLimits, rejectSlowBodies, serverLimits } from '../http/connections.ts';
import { handleClientError, registerErrorHandler, sendError } from '../http/envelope.ts';
import { publicResponses } from '../http/public-responses.ts';
import { parseQuery } from '../http/query-parameters.ts';
import { rateLimits } from '../http/rate-limits.ts';
import { decorateRequests, rememberWrites } from '../http/route.ts';
import type { Services } from '../http/services.ts';
import { sessionCookies } from '../http/session-cookie.ts';
import { shareLargeResponses } from '../http/shared-responses.ts';
import { acceptJsonOnly, compileValidator } from '../http/validation.ts';
import {
  createDeprecatedUseCounter,
  findKey,
  findPublicKey,
  findSession,
  findStoreKey,
  partnersChannel,
  readChildRecords,
  usersChannel,
} from '../modules/accounts/index.ts';
import { modules } from '../modules/modules.ts';
import { Problem } from '../problems.ts';
import { isTracing, type OpenSpan, startSpan, type TraceHeaders } from '../telemetry/tracing.ts';
import { consoleRoutes } from './console/console-routes.ts';
import { docsRoutes, versionRoutes } from './docs/docs-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { gatherRoutes } from './openapi/route-record.ts';
import { PathMap } from './path-map.ts';
import { type CountDeprecatedUse, versionedResponses } from './versions/versioned-responses.ts';

const bodyLimit = 1024 * 1024;

const platformRoutes = [healthRoutes, versionRoutes];

export function createServer(services: Services): FastifyInstance {
  const { config, log, metrics } = services;
  const paths = new PathMap();
  const server = fastify({
    ...transport(config),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    trustProxy: config.trustedProxy.length > 0 ? [...config.trustedProxy] : false,
    routerOptions: { querystringParser: parseQuery },
    rewriteUrl: ({ url = '/' }) => paths.rewrite(url),
    bodyLimit,
    ...connectionLimits,
    // Requests on open connections are still served during the shutdown.
    return503OnClosing: false,
    frameworkErrors: sendError,
    clientErrorHandler: handleClientError,
  } as FastifyServerOptions) as FastifyInstance;

  server.addHook('onRoute', ({ method, path }) => {
    if (!path.includes('*')) for (const name of [method].flat()) paths.add(name, path);
  });
  server.decorate('paths', paths);
  server.setValidatorCompiler(compileValidator);
  // Schemas describe the newest version; responses of older versions have other fields.
  server.setSerializerCompiler(() => JSON.stringify);
  acceptJsonOnly(server);
  registerErrorHandler(server);
  traceRequests(server);
  logRequests(server, metrics);
  secureHeaders(server);
  decorateRequests(server, services);
  sessionCookies(server);
  rememberWrites(server);

  authenticate(server, keyCaches(server, services), rateLimits(server, config.rateLimitPerMinute));
  // Before the hooks below: their errors have the field names of the client's version.
  versionedResponses(server, countDeprecatedUse(server, services));
  readChildRecords(server, services.database.pool);
  shareLargeResponses(server);
  publicResponses(server);
  handleUnknownRoutes(server, paths);
  rejectSlowBodies(server);
  closeGracefully(server);

  const gathered = gatherRoutes(server);
  for (const add of [...platformRoutes, ...eventRoutes, ...modules.flatMap(({ routes }) => routes)])
    add(server, services);
  docsRoutes(server, gathered, config);
  consoleRoutes(server, services);
  return server;
}

/** Caches for keys and access tokens, invalidated by notifications about changes. */
function keyCaches(server: FastifyInstance, { config, database }: Services) {
  const keys = new KeyCache((privateKey) => findKey(database.pool, privateKey));
  const sessions = new KeyCache((token) => findSession(database.pool, token, config.sessionSeconds));
  const publicKeys = new KeyCache((publicKey) => findPublicKey(database.pool, publicKey));
  const storeKeys = new KeyCache((storeKey) => findStoreKey(database.pool, storeKey));
  const caches = { keys, sessions, publicKeys, storeKeys };
  const subscriptions = [
    database.notifications.subscribe(partnersChannel, () => {
      for (const cache of Object.values(caches)) cache.invalidate();
    }),
    database.notifications.subscribe(usersChannel, () => sessions.invalidate()),
  ];
  server.addHook('onClose', async () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  });
  return caches;
}

/** Counts deprecated use in the metrics and, per partner, in the database. */
function countDeprecatedUse(server: FastifyInstance, { database, metrics }: Services): CountDeprecatedUse {
  const total = new Counter({
    name: 'waypost_deprecated_use_total',
    help: 'Requests with a deprecated field, format or parameter.',
    labelNames: ['version', 'name'],
    registers: [metrics],
  });
  const perPartner = createDeprecatedUseCounter(server, database.pool);
  return ({ apiVersion: version, caller }, name, replacedBy) => {
    total.inc({ version, name });
    if (caller) perPartner.count({ partnerId: caller.partnerId, version, name, replacedBy });
  };
}

function transport({ tlsCert, tlsKey }: Config): object {
  if (!tlsCert || !tlsKey) return { http: serverLimits };
  const [cert, key] = [readFileSync(tlsCert), readFileSync(tlsKey)];
  return { https: { ...serverLimits, cert, key, minVersion: 'TLSv1.2' } };
}

function handleUnknownRoutes(server: FastifyInstance, paths: PathMap): void {
  server.setNotFoundHandler(({ method, url }) => {
    throw new Problem('NOT_FOUND', { message: `There is no endpoint ${method} ${pathOf(url)}.` });
  });
  // The router would treat PUT …/webhooks as PUT …/:id.
  server.addHook('onRequest', ({ method, url }, _reply, done) => {
    const found = paths.find(pathOf(url));
    if (!found || found.methods.has(method)) return done();
    const allowed = [...found.methods].join(', ');
    throw new Problem('METHOD_NOT_ALLOWED', {
      message: `${method} is not available on ${found.path}. Use ${allowed}.`,
      headers: { allow: allowed },
    });
  });
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

const secondsSteps = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One measurement per request, and one log line unless it is a probe. Headers and bodies contain keys and are not logged. */
function logRequests(server: FastifyInstance, metrics: Registry): void {
  const seconds = new Histogram({
    name: 'waypost_http_request_seconds',
    help: 'Duration of HTTP requests in seconds',
    labelNames: ['method', 'route', 'status'],
    buckets: secondsSteps,
    registers: [metrics],
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { method, caller, span } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const status = reply.statusCode;
    seconds.observe({ method, route, status }, reply.elapsedTime / 1000);
    if (request.routeOptions.config.access === 'probe') return done();
    request.log.info({
      event: 'request.completed',
      method,
      route,
      status,
      tookMs: Math.round(reply.elapsedTime * 100) / 100,
      ...(caller && { partnerId: caller.partnerId }),
      ...(span && { traceId: span.traceId, spanId: span.spanId }),
    });
    done();
  });
}

/** Responses can contain keys and are not meant to be displayed by a browser. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const strictTransport = 'max-age=31536000';

/** Set in onRequest, so that a handler can override them. */
export function secureHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers);
    reply.header('x-request-id', request.id);
    if (request.protocol === 'https') reply.header('strict-transport-security', strictTransport);
    done();
  });
}

/** A span for each request except probes. It continues the trace of the caller. */
function traceRequests(server: FastifyInstance): void {
  server.decorateRequest('span', undefined);
  if (!isTracing()) return;
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    if (routeOptions.config.access === 'probe') return done();
    const route = routeOptions.url ?? 'unknown';
    request.span = startSpan(`${method} ${route}`, {
      kind: 'server',
      parent: callerTrace(headers, routeOptions.config.access),
      attributes: { 'http.request.method': method, 'http.route': route, 'waypost.request_id': request.id },
    });
    if (request.span) request.span.run(done);
    else done();
  });
  // The end of the body arrives outside the context of onRequest.
  server.addHook('preValidation', ({ span }, _reply, done) => (span ? span.run(done) : done()));
  server.addHook('onResponse', ({ span, caller }, { statusCode }, done) => {
    span?.end({
      failed: statusCode >= 500,
      attributes: {
        'http.response.status_code': statusCode,
        ...(caller && { 'waypost.partner_id': caller.partnerId }),
      },
    });
    done();
  });
}

/** tracestate is sent to receivers, so it is accepted only on routes that require a key. */
function callerTrace(
  { traceparent, tracestate }: FastifyRequest['headers'],
  access: FastifyContextConfig['access'],
): TraceHeaders | null {
  if (typeof traceparent !== 'string') return null;
  return { traceparent, ...(access === 'partner' && typeof tracestate === 'string' && { tracestate }) };
}

declare module 'fastify' {
  interface FastifyInstance {
    paths: PathMap;
  }
  interface FastifyRequest {
    /** The span of the request, if tracing is enabled. */
    span: OpenSpan | undefined;
  }
}
