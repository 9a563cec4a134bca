import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { isDescending, longList, longListSchema, orderQuery, pageQuery } from '../../../http/pagination.ts';
import { readPeriod } from '../../../http/period.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { AuditResponse, auditConditions, auditFilter, auditResponse } from './audit.ts';
import { countAudit, listAudit } from './audit-store.ts';

export function auditRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/audit-trail',
    summary: 'List audit log entries, newest first by default',
    query: Type.Object({ ...pageQuery, ...auditFilter, order: orderQuery('DESC', 'DESC lists the newest first') }),
    needs: 'ADMIN',
    response: longListSchema('entries', AuditResponse),
    handler: async ({ caller, query }) => {
      const { after, ...filter } = { ...query, ...readPeriod(query), partnerId: caller.partnerId };
      const [counted, found] = await Promise.all([
        countAudit(database.pool, auditConditions(filter)),
        listAudit(database.pool, auditConditions(filter), {
          offset: query.offset,
          limit: query.max + 1,
          ...(after !== undefined && { after }),
          descending: isDescending(query.order),
        }),
      ]);
      return longList('entries', query, counted, found, auditResponse);
    },
  });
}
