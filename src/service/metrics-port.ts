import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { healthRoutes } from '../api/health-routes.ts';
import { ConfigurationProblem } from '../config.ts';
import { closeGracefully, connectionLimits, rejectSlowBodies, serverLimits } from '../http/connections.ts';
import { handleClientError } from '../http/envelope.ts';
import type { Services } from '../http/services.ts';
import { singleFlight } from '../values/single-flight.ts';

/** Metrics and health on a separate port, because they need no authentication. */
export async function openMetricsPort(services: Services, port: number): Promise<FastifyInstance> {
  const host = services.config.metricsHost;
  const server = fastify({
    ...connectionLimits,
    http: serverLimits,
    clientErrorHandler: handleClientError,
  } as FastifyServerOptions) as FastifyInstance;
  rejectSlowBodies(server);
  closeGracefully(server);
  healthRoutes(server, services);
  metricsRoutes(server, services);
  const settings = 'WAYPOST_METRICS_HOST or WAYPOST_METRICS_PORT';
  await server.listen({ host, port }).catch((error) => explainPort(error, { host, port, settings }));
  return server;
}

/** Prometheus metrics. Concurrent requests share one collection, because it queries the database. */
export function metricsRoutes(server: FastifyInstance, { metrics }: Pick<Services, 'metrics'>): void {
  const collect = singleFlight(() => metrics.metrics());
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await collect()));
}

interface Port {
  host: string;
  port: number;
  /** The settings of host and port, for the message. */
  settings: string;
}

/** Throws a ConfigurationProblem for an unavailable port; rethrows other errors. */
export function explainPort(error: NodeJS.ErrnoException, { host, port, settings }: Port): never {
  if (error.code === 'EADDRINUSE') {
    throw new ConfigurationProblem(
      `Port ${port} on ${host} is in use, possibly by another Waypost. Stop it, or change ${settings}.`,
    );
  }
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL') {
    throw new ConfigurationProblem(`Waypost cannot listen on ${host}:${port} (${error.code}). Change ${settings}.`);
  }
  throw error;
}
