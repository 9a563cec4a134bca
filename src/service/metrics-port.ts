import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { closeGracefully } from '../api/graceful-close.ts';
import { healthRoutes } from '../api/health-routes.ts';
import { metricsRoutes } from '../api/metrics-routes.ts';
import { connectionLimits, serverLimits } from '../http/connection-limits.ts';
import { handleClientError } from '../http/error-responses.ts';
import type { Services } from '../http/services.ts';
import { explainPort } from './port-problem.ts';

/** Metrics and health on a separate port, because they need no authentication. */
export async function openMetricsPort(services: Services, port: number): Promise<FastifyInstance> {
  const host = services.config.metricsHost;
  const server = fastify({
    ...connectionLimits,
    http: serverLimits,
    clientErrorHandler: handleClientError,
  } as FastifyServerOptions) as FastifyInstance;
  closeGracefully(server);
  healthRoutes(server, services);
  metricsRoutes(server, services);
  const settings = 'WAYPOST_METRICS_HOST or WAYPOST_METRICS_PORT';
  await server.listen({ host, port }).catch((error) => explainPort(error, { host, port, settings }));
  return server;
}
