import fastify, { type FastifyInstance } from 'fastify';
import { healthRoutes } from '../api/health-routes.ts';
import type { Services } from '../http/services.ts';
import { explainPort } from './port-problem.ts';

/** Health and metrics of a process that serves nothing else; on loopback only. */
export async function startWatchPort(services: Services, port: number): Promise<FastifyInstance> {
  const server = fastify();
  healthRoutes(server, services);
  const host = '127.0.0.1';
  const settings = 'WAYPOST_WORKER_PORT';
  await server.listen({ host, port }).catch((error) => explainPort(error, { host, port, settings }));
  return server;
}
