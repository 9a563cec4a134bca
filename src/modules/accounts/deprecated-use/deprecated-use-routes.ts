import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { recordResponse } from '../../../http/record-response.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { listUses, maxDays } from './deprecated-use.ts';

const DeprecatedUseResponse = Type.Object({
  name: Type.String({ description: 'Name of the field or parameter', examples: ['websiteExtra'] }),
  version: Type.String({ description: 'API version of the requests that used it', examples: ['20220222'] }),
  replacedBy: Type.String({
    description: 'API version that replaced it. See GET /api/versions.',
    examples: ['20230407'],
  }),
  count: Type.Integer({ description: 'Number of requests that used it' }),
  lastUsed: Type.String({ examples: ['2026-11-15T08:30:00.000Z'] }),
});

export function deprecatedUseRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/deprecated-use',
    summary: 'List deprecated fields and parameters that your requests still use, most recently used first',
    needs: 'ADMIN',
    query: Type.Object({
      days: Type.Integer({ minimum: 1, maximum: maxDays, default: 30, description: 'Number of past days to include' }),
    }),
    response: Type.Object({ days: Type.Integer(), uses: Type.Array(DeprecatedUseResponse) }),
    handler: async ({ caller, query: { days } }) => {
      await server.deprecatedUse.flush();
      const uses = await listUses(database.pool, caller.partnerId, days);
      return { days, uses: uses.map((use) => recordResponse(DeprecatedUseResponse, use)) };
    },
  });
}
