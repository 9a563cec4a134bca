import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { DeprecatedUseResponse, deprecatedUseResponse, longestDays } from './deprecated-use.ts';
import { usesOf } from './deprecated-use-store.ts';

export function deprecatedUseRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/deprecated-use',
    summary: 'What of the API your programs still use that a later version has replaced, the latest first',
    needs: 'ADMIN',
    query: Type.Object({
      days: Type.Integer({ minimum: 1, maximum: longestDays, default: 30, description: 'How far to look back' }),
    }),
    response: Type.Object({ days: Type.Integer(), uses: Type.Array(DeprecatedUseResponse) }),
    handler: async ({ caller, query: { days } }) => {
      await server.deprecatedUse.write();
      return { days, uses: (await usesOf(database.pool, caller.partnerId, days)).map(deprecatedUseResponse) };
    },
  });
}
