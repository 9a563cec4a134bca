import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { deliveryRoutes } from '../events/log/delivery-routes.ts';
import { eventRoutes } from '../events/log/event-routes.ts';
import { replayRoutes } from '../events/log/replay-routes.ts';
import { statisticsRoutes } from '../events/log/statistics-routes.ts';
import { trialRoutes } from '../events/log/trial-routes.ts';
import { emitRoutes } from '../events/outbox/emit-routes.ts';
import { eventTypeRoutes } from '../events/subscriptions/event-type-routes.ts';
import { webhookRoutes } from '../events/subscriptions/webhook-routes.ts';
import { authenticate, KeyMemory } from '../http/authenticate.ts';
import { answerErrors, answerGarbage, sendError } from '../http/error-answers.ts';
import { acceptJsonOnly } from '../http/json-body.ts';
import { rateLimits } from '../http/rate-limits.ts';
import { logRequests } from '../http/request-log.ts';
import { equipRequests } from '../http/route.ts';
import { secureHeaders } from '../http/security-headers.ts';
import type { Services } from '../http/services.ts';
import { compileValidator } from '../http/validation.ts';
import { findKey, partnersChannel } from '../platform/partners/partner-keys.ts';
import { partnerRoutes } from '../platform/partners/partner-routes.ts';
import { Problem } from '../problems.ts';
import { closeGracefully } from './graceful-close.ts';
import { healthRoutes } from './health-routes.ts';
import { PathMap } from './path-map.ts';
import { versionedAnswers } from './versions/versioned-answers.ts';

const bodyLimit = 1024 * 1024;
const requestTimeoutMs = 30_000;

/** Every endpoint, by the module that defines it. */
const routes = [
  healthRoutes,
  partnerRoutes,
  webhookRoutes,
  eventTypeRoutes,
  emitRoutes,
  eventRoutes,
  deliveryRoutes,
  replayRoutes,
  trialRoutes,
  statisticsRoutes,
];

export function createServer(services: Services): FastifyInstance {
  const { config, database, log, metrics } = services;
  const paths = new PathMap();
  const server = fastify({
    ...transport(config),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    trustProxy: config.trustedProxy.length > 0 ? [...config.trustedProxy] : false,
    rewriteUrl: ({ url = '/' }) => paths.rewrite(url),
    bodyLimit,
    requestTimeout: requestTimeoutMs,
    // What arrives on an open connection while the server stops is still answered.
    return503OnClosing: false,
    frameworkErrors: sendError,
    clientErrorHandler: answerGarbage,
  } as FastifyServerOptions) as FastifyInstance;

  server.addHook('onRoute', ({ method, path }) => {
    if (!path.includes('*')) for (const name of [method].flat()) paths.add(name, path);
  });
  server.setValidatorCompiler(compileValidator);
  // Schemas describe today's shape; an older version's answer has fields that they do not know.
  server.setSerializerCompiler(() => JSON.stringify);
  acceptJsonOnly(server);
  answerErrors(server);
  logRequests(server, metrics);
  secureHeaders(server);
  equipRequests(server, services);

  const keys = new KeyMemory((privateKey) => findKey(database.pool, privateKey));
  const unsubscribe = database.notifications.subscribe(partnersChannel, () => keys.doubt());
  server.addHook('onClose', async () => unsubscribe());
  authenticate(server, keys, rateLimits(server, config.rateLimitPerMinute));
  versionedAnswers(server);
  answerStrayRequests(server, paths);
  closeGracefully(server);

  for (const add of routes) add(server, services);
  return server;
}

function transport({ tlsCert, tlsKey }: Config): object {
  if (!tlsCert || !tlsKey) return {};
  return { https: { cert: readFileSync(tlsCert), key: readFileSync(tlsKey), minVersion: 'TLSv1.2' } };
}

function answerStrayRequests(server: FastifyInstance, paths: PathMap): void {
  server.setNotFoundHandler(({ method, url }) => {
    throw new Problem('NOT_FOUND', { message: `There is no endpoint ${method} ${pathOf(url)}.` });
  });
  // Not left to the router: to it, PUT …/webhooks is PUT …/:id with a strange id.
  server.addHook('onRequest', async ({ method, url }) => {
    const found = paths.find(pathOf(url));
    if (!found || found.methods.has(method)) return;
    const allowed = [...found.methods].join(', ');
    throw new Problem('METHOD_NOT_ALLOWED', {
      message: `${method} is not available on ${found.path}. Use ${allowed}.`,
      headers: { allow: allowed },
    });
  });
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';
