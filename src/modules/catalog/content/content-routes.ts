import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { reaches, reachOf } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { cursorList, longListSchema, pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { notFound, Problem, requireFound } from '../../../problems.ts';
import { changedText, normalizeText } from '../../../text.ts';
import { actorOf, type FieldGroup } from '../../accounts/index.ts';
import { requireBusiness } from '../businesses/change-business.ts';
import {
  CollectionChange,
  CollectionResponse,
  type ContentCollection,
  changedItemFacts,
  collectionFilter,
  collectionResponse,
  ItemChange,
  ItemResponse,
  itemLimitWarning,
  itemResponse,
  maxItems,
  NewCollection,
  NewItem,
  newItemFacts,
  writtenItems,
} from './content.ts';
import { enqueueCollectionChange, recordItemChange } from './content-changes.ts';
import { countLocationsUsing } from './content-list-store.ts';
import {
  appendItem,
  countCollections,
  countItems,
  deleteCollection,
  deleteItem,
  findCollection,
  findCollectionHead,
  findItem,
  insertCollection,
  listCollections,
  listItems,
  lockCollection,
  replaceItems,
  updateCollection,
  updateItem,
} from './content-store.ts';

const subject = 'CONTENT_COLLECTION';
/** The group of the location field contentLists. */
const fieldGroup = 'SERVICES' satisfies FieldGroup;

export function collectionRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/content-collections',
    summary: 'List the content collections of businesses that the caller has access to',
    needs: 'LOCATION_READ',
    query: Type.Object({ ...pageQuery, ...collectionFilter }),
    response: longListSchema('contentCollections', CollectionResponse),
    handler: async ({ caller, query, warnings }) => {
      const filter = { ...query, reach: reachOf(caller) };
      const [counted, { found, max }] = await Promise.all([
        countCollections(database.pool, caller.partnerId, filter),
        listCollections(database.pool, caller.partnerId, filter, query),
      ]);
      if (max < query.max) warnings.push(itemLimitWarning(query.max, max));
      return cursorList('contentCollections', { ...query, max }, counted, found, collectionResponse);
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/content-collections',
    summary: 'Create a content collection, optionally with items',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    body: NewCollection,
    response: CollectionResponse,
    problems: ['NOT_FOUND', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body } = request;
        const { businessId, type, name, identifier, items = [] } = body;
        await requireBusiness(transaction, caller, businessId);
        const written = writtenItems([], items);
        const id = await insertCollection(transaction, caller.partnerId, {
          businessId,
          type,
          name: normalizeText(name),
          identifier: changedText(null, identifier),
        });
        await replaceItems(transaction, id, written);
        await recordAudit(transaction, actorOf(caller), 'CREATED', subject, id);
        return collectionResponse(await findVisibleCollection(transaction, caller, id));
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/content-collections/:id',
    summary: 'Get a content collection with its items',
    needs: 'LOCATION_READ',
    params: idParams,
    response: CollectionResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) =>
      collectionResponse(await findVisibleCollection(database.pool, caller, id)),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/content-collections/:id',
    summary: 'Change a content collection. items replaces all items.',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    params: idParams,
    body: CollectionChange,
    response: CollectionResponse,
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: async ({ caller, params: { id }, body, warnings }) => {
      requireChange(body, CollectionChange.properties, warnings);
      return database.transaction(async (transaction) => {
        await lockVisibleCollection(transaction, caller, id);
        const collection = await findVisibleCollection(transaction, caller, id);
        await updateCollection(transaction, id, {
          name: changedText(collection.name, body.name) ?? collection.name,
          identifier: changedText(collection.identifier, body.identifier),
        });
        const written = body.items && writtenItems(collection.items, body.items);
        if (written && !isDeepStrictEqual(collection.items, written)) {
          await replaceItems(transaction, id, written);
          await enqueueCollectionChange(transaction, caller, id);
        }
        await recordAudit(transaction, actorOf(caller), 'CHANGED', subject, id, { fields: Object.keys(body) });
        return collectionResponse(await findVisibleCollection(transaction, caller, id));
      });
    },
  });

  deleteRoute(server, {
    path: '/api/content-collections/:id',
    summary: 'Delete a content collection that no location uses',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    params: idParams,
    problems: ['NOT_FOUND', 'CONFLICT'],
    remove: async (transaction, { caller, params: { id } }) => {
      const { name } = await lockVisibleCollection(transaction, caller, id);
      const uses = await countLocationsUsing(transaction, id);
      if (uses > 0) {
        throw new Problem('CONFLICT', {
          message: `Collection ${id} is used by ${uses} ${uses === 1 ? 'location' : 'locations'}. Remove it from their content lists first.`,
        });
      }
      await deleteCollection(transaction, id);
      await recordAudit(transaction, actorOf(caller), 'DELETED', subject, id, { name });
    },
  });
}

/** Responds with 404 for a collection outside the caller's reach. */
function requireVisible<T extends Pick<ContentCollection, 'businessId'>>(
  caller: Caller,
  id: number,
  collection: T | undefined,
): T {
  if (!collection || !reaches(reachOf(caller), { businessId: collection.businessId })) {
    throw notFound(`content collection ${id}`);
  }
  return collection;
}

const findVisibleCollection = async (sql: Sql, caller: Caller, id: number): Promise<ContentCollection> =>
  requireVisible(caller, id, await findCollection(sql, caller.partnerId, id));

/** Locks the collection and its items until the transaction ends. */
const lockVisibleCollection = async (transaction: Transaction, caller: Caller, id: number) =>
  requireVisible(caller, id, await lockCollection(transaction, caller.partnerId, id));

const itemParams = Type.Object({ id: Id, itemId: Id });

export function itemRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/content-collections/:id/items',
    summary: 'List the items of a collection in order',
    needs: 'LOCATION_READ',
    params: idParams,
    query: Type.Object(pageQuery),
    response: pageSchema('items', ItemResponse),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      requireVisible(caller, id, await findCollectionHead(database.pool, caller.partnerId, id));
      const [count, items] = await Promise.all([countItems(database.pool, id), listItems(database.pool, id, query)]);
      return pageOf('items', query, count, items.map(itemResponse));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/content-collections/:id/items',
    summary: 'Add an item to the end of a collection',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    params: idParams,
    body: NewItem,
    response: ItemResponse,
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { id } = request.params;
        await lockVisibleCollection(transaction, request.caller, id);
        if ((await countItems(transaction, id)) >= maxItems) {
          throw new Problem('CONFLICT', {
            message: `Collection ${id} has ${maxItems} items, which is the maximum. Delete an item first.`,
          });
        }
        const item = await appendItem(transaction, id, newItemFacts(request.body));
        await recordItemChange(transaction, request.caller, id);
        return itemResponse(item);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/content-collections/:id/items/:itemId',
    summary: 'Get an item of a collection',
    needs: 'LOCATION_READ',
    params: itemParams,
    response: ItemResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id, itemId } }) => {
      requireVisible(caller, id, await findCollectionHead(database.pool, caller.partnerId, id));
      return itemResponse(requireFound(await findItem(database.pool, id, itemId), nameOf(id, itemId)));
    },
  });

  route(server, {
    method: 'PATCH',
    path: '/api/content-collections/:id/items/:itemId',
    summary: 'Change an item',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    params: itemParams,
    body: ItemChange,
    response: ItemResponse,
    problems: ['NOT_FOUND', 'IDENTIFIER_NOT_UNIQUE'],
    handler: async ({ caller, params: { id, itemId }, body, warnings }) => {
      requireChange(body, ItemChange.properties, warnings);
      return database.transaction(async (transaction) => {
        await lockVisibleCollection(transaction, caller, id);
        const item = requireFound(await findItem(transaction, id, itemId), nameOf(id, itemId));
        const changed = await updateItem(transaction, itemId, changedItemFacts(item, body));
        await recordItemChange(transaction, caller, id);
        return itemResponse(changed);
      });
    },
  });

  deleteRoute(server, {
    path: '/api/content-collections/:id/items/:itemId',
    summary: 'Delete an item',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    params: itemParams,
    problems: ['NOT_FOUND'],
    remove: async (transaction, { caller, params: { id, itemId } }) => {
      await lockVisibleCollection(transaction, caller, id);
      requireFound(await deleteItem(transaction, id, itemId), nameOf(id, itemId));
      await recordItemChange(transaction, caller, id);
    },
  });
}

const nameOf = (collectionId: number, id: number) => `item ${id} in content collection ${collectionId}`;
