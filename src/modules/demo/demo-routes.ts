import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { findDemoData } from './demo-state.ts';

const DemoDataAnswer = Type.Object({
  state: Type.Enum(['NONE', 'RUNNING', 'COMPLETE', 'INCOMPLETE']),
  progress: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'Per cent' })),
  message: Type.Optional(Type.String({ description: 'What there is, what is missing and why, and what to do' })),
});

export function demoRoutes(server: FastifyInstance, { config, database }: Services): void {
  if (!config.demo) return;

  route(server, {
    method: 'GET',
    path: '/api/demo-data',
    summary: 'In a demo: whether the demo data is complete, and why not',
    needs: 'ADMIN',
    response: DemoDataAnswer,
    handler: async ({ caller }) => (await findDemoData(database.pool, caller.partnerId)) ?? { state: 'NONE' as const },
  });
}
