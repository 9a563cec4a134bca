import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { findDemoData } from './demo-task.ts';

const DemoDataResponse = Type.Object({
  state: Type.Enum(['NONE', 'RUNNING', 'COMPLETE', 'INCOMPLETE']),
  progress: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'In percent' })),
  message: Type.Optional(Type.String({ description: 'State of the demo data, and what to do if it is incomplete' })),
});

export function demoRoutes(server: FastifyInstance, { config, database }: Services): void {
  if (!config.demo) return;

  route(server, {
    method: 'GET',
    path: '/api/demo-data',
    summary: 'Demo only: get the state of the demo data',
    needs: 'ADMIN',
    response: DemoDataResponse,
    handler: async ({ caller }) => (await findDemoData(database.pool, caller.partnerId)) ?? { state: 'NONE' as const },
  });
}
