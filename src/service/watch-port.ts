import fastify, { type FastifyInstance } from 'fastify';
import { healthRoutes } from '../api/health-routes.ts';
import type { Services } from '../http/services.ts';

/** Health and metrics of a process that serves nothing else; on loopback only. */
export async function startWatchPort(services: Services, port: number): Promise<FastifyInstance> {
  const server = fastify();
  healthRoutes(server, services);
  await server.listen({ host: '127.0.0.1', port });
  return server;
}
