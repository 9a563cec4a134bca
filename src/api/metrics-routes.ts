import type { FastifyInstance } from 'fastify';
import type { Services } from '../http/services.ts';

/** Prometheus metrics. Concurrent requests share one collection, because it queries the database. */
export function metricsRoutes(server: FastifyInstance, { metrics }: Pick<Services, 'metrics'>): void {
  let collecting: Promise<string> | undefined;
  server.get('/metrics', async (_request, reply) => {
    collecting ??= metrics.metrics().finally(() => {
      collecting = undefined;
    });
    return reply.type(metrics.contentType).send(await collecting);
  });
}
