import type { FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';

const secondsSteps = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One log line and one measurement per request. Headers and bodies contain keys and are not logged. */
export function logRequests(server: FastifyInstance, metrics: Registry): void {
  const seconds = new Histogram({
    name: 'waypost_http_request_seconds',
    help: 'Duration of HTTP requests in seconds',
    labelNames: ['method', 'route', 'status'],
    buckets: secondsSteps,
    registers: [metrics],
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method, caller } = request;
    const route = request.routeOptions.url ?? 'unknown';
    const status = reply.statusCode;
    seconds.observe({ method, route, status }, reply.elapsedTime / 1000);
    request.log.info({
      event: 'request.answered',
      method,
      route,
      status,
      tookMs: Math.round(reply.elapsedTime * 100) / 100,
      ...(caller && { partnerId: caller.partnerId }),
    });
  });
}
