import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { DeprecatedUseResponse, deprecatedUseResponse, maxDays } from './deprecated-use.ts';
import { listUses } from './deprecated-use-store.ts';

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
      return { days, uses: (await listUses(database.pool, caller.partnerId, days)).map(deprecatedUseResponse) };
    },
  });
}
