import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { reachOf } from '../../../http/access.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { longList, longListSchema, pageQuery } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireFound } from '../../../problems.ts';
import { requireBusiness } from '../../catalog/index.ts';
import { discoverBrandPages } from './brand-page-jobs.ts';
import { BrandPageResponse, brandPageResponse, countBrandPages, listBrandPages } from './brand-page-store.ts';

export function brandPageRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/directory-business-pages',
    summary: 'List brand pages on directories',
    needs: 'INBOX_READ',
    query: Type.Object({
      ...pageQuery,
      businessIds: Type.Optional(Type.Array(Id, { maxItems: 1000, description: 'Brand pages of these businesses' })),
      directoryTypes: Type.Optional(
        Type.Array(Type.String(), { maxItems: 100, description: 'Brand pages on these directories, such as FACEBOOK' }),
      ),
    }),
    response: longListSchema('directoryBusinessPages', BrandPageResponse),
    handler: async ({ caller, query }) => {
      const { businessIds, directoryTypes } = query;
      const filter = { partnerId: caller.partnerId, reach: reachOf(caller), businessIds, directoryTypes };
      const [counted, found] = await Promise.all([
        countBrandPages(database.pool, filter),
        listBrandPages(database.pool, filter, { ...query, max: query.max + 1 }),
      ]);
      return longList('directoryBusinessPages', query, counted, found, brandPageResponse);
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/directory-business-pages/:id',
    summary: 'Get a brand page',
    needs: 'INBOX_READ',
    params: idParams,
    response: BrandPageResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      const filter = { partnerId: caller.partnerId, reach: reachOf(caller), ids: [id] };
      const [page] = await listBrandPages(database.pool, filter, { offset: 0, max: 1 });
      return brandPageResponse(requireFound(page, `brand page ${id}`));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/directory-business-pages/discover',
    summary: 'Discover the brand pages of a business',
    needs: 'INBOX_WRITE',
    body: Type.Object({ businessId: Id }),
    response: Type.Object({ businessId: Type.Integer(), scheduled: Type.Literal(true) }),
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { businessId } = request.body;
        await requireBusiness(transaction, request.caller, businessId);
        const { partnerId } = request.caller;
        await discoverBrandPages.enqueue(transaction, { businessId, partnerId, requested: true });
        return { businessId, scheduled: true as const };
      }),
  });
}
