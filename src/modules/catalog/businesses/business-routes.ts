import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { reaches, reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { isDescending, longList, longListSchema, orderQuery, pageQuery } from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { notFound, requireFound } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { BusinessChange, BusinessResponse, businessFilter, businessResponse, NewBusiness } from './business.ts';
import { businessSorts, countBusinesses, listBusinesses, readBusiness } from './business-store.ts';
import { changeBusiness, createBusiness, deleteBusiness } from './change-business.ts';

export function businessRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/businesses',
    summary: 'List the businesses that the caller has access to',
    query: Type.Object({
      ...pageQuery,
      ...businessFilter,
      sort: Type.Enum([...businessSorts], { default: 'id' }),
      order: orderQuery('ASC'),
    }),
    response: longListSchema('businesses', BusinessResponse),
    handler: async ({ caller, query }) => {
      const filter = { ...query, reach: reachOf(caller) };
      const [counted, found] = await Promise.all([
        countBusinesses(database.pool, caller.partnerId, filter),
        listBusinesses(database.pool, caller.partnerId, filter, { ...query, descending: isDescending(query.order) }),
      ]);
      return longList('businesses', query, counted, found, businessResponse);
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/businesses',
    summary: 'Create a business',
    needs: 'LOCATION_WRITE',
    accountManager: 'To create a business',
    body: NewBusiness,
    response: BusinessResponse,
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) =>
        businessResponse(await createBusiness(transaction, actorOf(request.caller), request.body)),
      ),
  });

  route(server, {
    method: 'GET',
    path: '/api/businesses/:id',
    summary: 'Get a business',
    params: idParams,
    response: BusinessResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      checkReach(caller, id);
      const business = await readBusiness(database.pool, caller.partnerId, id);
      return businessResponse(requireFound(business, `business ${id}`));
    },
  });

  for (const method of ['PATCH', 'PUT'] as const) {
    route(server, {
      method,
      path: '/api/businesses/:id',
      summary: 'Change a business. A product plan changes immediately or on effectiveDate.',
      needs: 'LOCATION_WRITE',
      params: idParams,
      body: BusinessChange,
      response: BusinessResponse,
      problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
      handler: async ({ caller, params: { id }, body, warnings }) => {
        checkReach(caller, id);
        requireChange(body, BusinessChange.properties, warnings);
        return database.transaction(async (transaction) =>
          businessResponse(await changeBusiness(transaction, actorOf(caller), id, body)),
        );
      },
    });
  }

  deleteRoute(server, {
    path: '/api/businesses/:id',
    summary: 'Delete a business without locations',
    needs: 'LOCATION_WRITE',
    accountManager: 'To delete a business',
    params: idParams,
    problems: ['NOT_FOUND', 'CONFLICT'],
    remove: async (transaction, { caller, params: { id } }) => {
      checkReach(caller, id);
      await deleteBusiness(transaction, actorOf(caller), id);
    },
  });
}

/** Responds with 404 for a business outside the caller's reach. */
function checkReach(caller: Caller, id: number): void {
  if (!reaches(reachOf(caller), { businessId: id })) throw notFound(`business ${id}`);
}
