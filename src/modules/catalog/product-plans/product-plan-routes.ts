import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { Problem, requireFound } from '../../../problems.ts';
import { actorOf, partnersChannel } from '../../accounts/index.ts';
import { countBusinessesOfPlan } from '../businesses/business-store.ts';
import {
  changedTerms,
  keepPending,
  NewProductPlan,
  newTerms,
  type ProductPlan,
  ProductPlanChange,
  ProductPlanResponse,
  productPlanFilter,
  productPlanResponse,
} from './product-plan.ts';
import {
  countProductPlans,
  deleteProductPlan,
  findProductPlan,
  insertProductPlan,
  listProductPlans,
  updateProductPlan,
} from './product-plan-store.ts';

const subject = 'PRODUCT_PLAN';

export function productPlanRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/product-plans',
    summary: 'List product plans',
    needs: 'LOCATION_READ',
    query: Type.Object({ ...pageQuery, ...productPlanFilter }),
    response: pageSchema('productPlans', ProductPlanResponse),
    handler: async ({ caller, query }) => {
      const [count, plans] = await Promise.all([
        countProductPlans(database.pool, caller.partnerId, query),
        listProductPlans(database.pool, caller.partnerId, query, query),
      ]);
      return pageOf('productPlans', query, count, plans.map(productPlanResponse));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/product-plans',
    summary: 'Create a product plan. It is PENDING_APPROVAL until its status is set to ACTIVE.',
    needs: 'ADMIN',
    body: NewProductPlan,
    response: ProductPlanResponse,
    problems: ['IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const actor = actorOf(request.caller);
        const plan = await insertProductPlan(transaction, actor.partner.id, newTerms(request.body));
        transaction.notifyAfterCommit(partnersChannel);
        await recordAudit(transaction, actor, 'CREATED', subject, plan.id);
        return productPlanResponse(plan);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/product-plans/:id',
    summary: 'Get a product plan',
    needs: 'LOCATION_READ',
    params: idParams,
    response: ProductPlanResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      productPlanResponse(
        requireFound(await findProductPlan(database.pool, caller.partnerId, id), `product plan ${id}`),
      ),
  });

  for (const method of ['PATCH', 'PUT'] as const) {
    route(server, {
      method,
      path: '/api/product-plans/:id',
      summary: 'Change a product plan',
      needs: 'ADMIN',
      params: idParams,
      body: ProductPlanChange,
      response: ProductPlanResponse,
      problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
      handler: async ({ caller, params: { id }, body, grants, warnings }) => {
        requireChange(body, ProductPlanChange.properties, warnings);
        return database.transaction(async (transaction) => {
          const plan = await lockPlan(transaction, caller.partnerId, id);
          const changed = await updateProductPlan(
            transaction,
            id,
            changedTerms(plan, grants.has('PENDING_IS_INACTIVE') ? keepPending(plan, body) : body),
          );
          transaction.notifyAfterCommit(partnersChannel);
          await recordAudit(transaction, actorOf(caller), 'CHANGED', subject, id, { fields: Object.keys(body) });
          return productPlanResponse(changed);
        });
      },
    });
  }

  deleteRoute(server, {
    path: '/api/product-plans/:id',
    summary: 'Delete a product plan that no business uses',
    needs: 'ADMIN',
    params: idParams,
    problems: ['NOT_FOUND', 'CONFLICT'],
    remove: async (transaction, { caller, params: { id } }) => {
      const plan = await lockPlan(transaction, caller.partnerId, id);
      const uses = await countBusinessesOfPlan(transaction, id);
      if (uses > 0) throw inUse(id, uses);
      await deleteProductPlan(transaction, id);
      transaction.notifyAfterCommit(partnersChannel);
      await recordAudit(transaction, actorOf(caller), 'DELETED', subject, id, { name: plan.name });
    },
  });
}

async function lockPlan(transaction: Transaction, partnerId: number, id: number): Promise<ProductPlan> {
  return requireFound(await findProductPlan(transaction, partnerId, id, 'for update'), `product plan ${id}`);
}

const inUse = (id: number, uses: number) =>
  new Problem('CONFLICT', {
    message: `Product plan ${id} is used by ${uses} ${uses === 1 ? 'business' : 'businesses'}, including deleted businesses and scheduled changes. Set its status to INACTIVE instead.`,
  });
