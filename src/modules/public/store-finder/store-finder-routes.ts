import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { newCredential } from '../../../http/credential.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { type FieldError, Problem } from '../../../problems.ts';
import { type Actor, actorOf } from '../../accounts/index.ts';
import { keepLabels } from '../../catalog/index.ts';
import { knownBusinesses } from '../../locations/index.ts';
import {
  changedContent,
  countStoreFinders,
  deleteStoreFinder,
  emptyContent,
  type FinderContent,
  findStoreFinder,
  insertStoreFinder,
  listStoreFinders,
  lockStoreFinder,
  NewStoreFinder,
  requireFinder,
  StoreFinderChange,
  StoreFinderResponse,
  storeFinderResponse,
  storeKeyParams,
  updateStoreFinder,
} from './store-finder.ts';

const subject = 'STORE_FINDER';

/** For account managers. Web pages use the public routes under the same path. */
export function storeFinderRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/store-finders',
    summary: 'List store finders',
    accountManager: 'To see store finders',
    query: Type.Object(pageQuery),
    response: pageSchema('storeFinders', StoreFinderResponse),
    handler: async ({ caller, query }) => {
      const [count, finders] = await Promise.all([
        countStoreFinders(database.pool, caller.partnerId),
        listStoreFinders(database.pool, caller.partnerId, query),
      ]);
      return pageOf('storeFinders', query, count, finders.map(storeFinderResponse));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/store-finders',
    summary: 'Create a store finder. Use its storeKey in your web page',
    needs: 'LOCATION_WRITE',
    accountManager: 'To create a store finder',
    body: NewStoreFinder,
    response: StoreFinderResponse,
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const actor = actorOf(request.caller);
        const content = changedContent(emptyContent, request.body);
        await checkReferences(transaction, actor, content);
        const storeKey = await newCredential(transaction, 'storeKey');
        const finder = await insertStoreFinder(transaction, actor.partner.id, storeKey, content);
        await recordAudit(transaction, actor, 'CREATED', subject, finder.id, { name: finder.name });
        return storeFinderResponse(finder);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/store-finders/:storeKey',
    summary: 'Get a store finder',
    accountManager: 'To see store finders',
    params: storeKeyParams,
    response: StoreFinderResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { storeKey } }) => {
      const finder = await findStoreFinder(database.pool, caller.partnerId, storeKey);
      return storeFinderResponse(requireFinder(finder, storeKey));
    },
  });

  route(server, {
    method: 'PATCH',
    path: '/api/store-finders/:storeKey',
    summary: 'Update a store finder. null resets a setting',
    needs: 'LOCATION_WRITE',
    accountManager: 'To change a store finder',
    params: storeKeyParams,
    body: StoreFinderChange,
    response: StoreFinderResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { storeKey }, body, warnings }) => {
      const fields = Object.keys(body);
      requireChange(body, StoreFinderChange.properties, warnings);
      return database.transaction(async (transaction) => {
        const actor = actorOf(caller);
        const before = requireFinder(await lockStoreFinder(transaction, caller.partnerId, storeKey), storeKey);
        const content = changedContent(before, body);
        await checkReferences(transaction, actor, content, before);
        const finder = await updateStoreFinder(transaction, before.id, content);
        await recordAudit(transaction, actor, 'CHANGED', subject, finder.id, { fields });
        return storeFinderResponse(finder);
      });
    },
  });

  deleteRoute(server, {
    path: '/api/store-finders/:storeKey',
    summary: 'Delete a store finder. Pages that use its key stop working',
    needs: 'LOCATION_WRITE',
    accountManager: 'To delete a store finder',
    params: storeKeyParams,
    problems: ['NOT_FOUND'],
    remove: async (transaction, { caller, params: { storeKey } }) => {
      const finder = requireFinder(await deleteStoreFinder(transaction, caller.partnerId, storeKey), storeKey);
      await recordAudit(transaction, actorOf(caller), 'DELETED', subject, finder.id, { name: finder.name });
    },
  });
}

/** Checks only added references, so that a deleted label does not block other changes, unless no label is left. */
async function checkReferences(
  transaction: Transaction,
  actor: Actor,
  { businessIds, labelIds }: FinderContent,
  before: FinderContent = emptyContent,
): Promise<void> {
  const businesses = businessIds.filter((id) => !before.businessIds.includes(id));
  const known = await knownBusinesses(transaction, actor, businesses);
  const kept = await keepLabels(transaction, actor.partner.id, labelIds);
  const isEmptied = kept.length === 0 && labelIds.join() !== before.labelIds.join();
  const labels = isEmptied ? labelIds : labelIds.filter((id) => !before.labelIds.includes(id));
  const errors: FieldError[] = [
    ...businesses
      .filter((id) => !known.has(id))
      .map((id) => ({ field: 'businessIds', rule: 'known', message: `There is no business ${id}.` })),
    ...labels
      .filter((id) => !kept.includes(id))
      .map((id) => ({ field: 'labelIds', rule: 'known', message: `There is no label ${id}.` })),
  ];
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
}
