import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { nothingToChange } from '../../../http/validation.ts';
import { notFound, Problem } from '../../../problems.ts';
import { findVisibleCollection, lockVisibleCollection } from './collection-routes.ts';
import { touchCollection } from './collection-store.ts';
import {
  changedItemFacts,
  ItemChange,
  ItemResponse,
  itemResponse,
  maxItems,
  NewItem,
  newItemFacts,
} from './content.ts';
import { appendItem, countItems, deleteItem, findItem, listItems, updateItem } from './item-store.ts';

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
      const { items } = await findVisibleCollection(database.pool, caller, id);
      return pageOf('items', query, items.length, (await listItems(database.pool, id, query)).map(itemResponse));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/content-collections/:id/items',
    summary: 'Add an item to the end of a collection',
    needs: 'LOCATION_WRITE',
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
        await touchCollection(transaction, id);
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
      await findVisibleCollection(database.pool, caller, id);
      const item = await findItem(database.pool, id, itemId);
      if (!item) throw itemNotFound(id, itemId);
      return itemResponse(item);
    },
  });

  route(server, {
    method: 'PATCH',
    path: '/api/content-collections/:id/items/:itemId',
    summary: 'Change an item',
    needs: 'LOCATION_WRITE',
    params: itemParams,
    body: ItemChange,
    response: ItemResponse,
    problems: ['NOT_FOUND', 'IDENTIFIER_NOT_UNIQUE'],
    handler: async ({ caller, params: { id, itemId }, body, warnings }) => {
      if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(ItemChange.properties), warnings);
      return database.transaction(async (transaction) => {
        await lockVisibleCollection(transaction, caller, id);
        const item = await findItem(transaction, id, itemId);
        const changed = item && (await updateItem(transaction, id, itemId, changedItemFacts(item, body)));
        if (!changed) throw itemNotFound(id, itemId);
        await touchCollection(transaction, id);
        return itemResponse(changed);
      });
    },
  });

  deleteRoute(server, {
    path: '/api/content-collections/:id/items/:itemId',
    summary: 'Delete an item',
    needs: 'LOCATION_WRITE',
    params: itemParams,
    problems: ['NOT_FOUND'],
    remove: async (transaction, { caller, params: { id, itemId } }) => {
      await lockVisibleCollection(transaction, caller, id);
      if (!(await deleteItem(transaction, id, itemId))) throw itemNotFound(id, itemId);
      await touchCollection(transaction, id);
    },
  });
}

const itemNotFound = (collectionId: number, id: number) => notFound(`item ${id} in content collection ${collectionId}`);
