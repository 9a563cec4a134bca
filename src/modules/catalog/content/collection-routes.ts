import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { reaches, reachOf } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { Id, idParams } from '../../../http/ids.ts';
import { longList, longListSchema } from '../../../http/long-list.ts';
import { pageQuery } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { nothingToChange } from '../../../http/validation.ts';
import { notFound, Problem, unknownReference } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { findBusiness } from '../businesses/business-store.ts';
import {
  countCollections,
  deleteCollection,
  findCollection,
  insertCollection,
  listCollections,
  lockCollection,
  updateCollection,
} from './collection-store.ts';
import { type ContentCollection, changedText, contentTypes } from './content.ts';
import {
  CollectionChange,
  CollectionResponse,
  collectionResponse,
  NewCollection,
  writtenItems,
} from './content-collection.ts';
import { countLocationsShowing } from './content-store.ts';
import { replaceItems } from './item-store.ts';

const subject = 'CONTENT_COLLECTION';

export function collectionRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/content-collections',
    summary: 'The collections of content of the businesses that the caller sees',
    needs: 'LOCATION_READ',
    query: Type.Object({
      ...pageQuery,
      businessId: Type.Optional(Type.Array(Id)),
      type: Type.Optional(Type.Array(Type.Enum([...contentTypes]))),
      query: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name' })),
    }),
    response: longListSchema('contentCollections', CollectionResponse),
    handler: async ({ caller, query }) => {
      const filter = { ...query, reach: reachOf(caller) };
      const [counted, found] = await Promise.all([
        countCollections(database.pool, caller.partnerId, filter),
        listCollections(database.pool, caller.partnerId, filter, query),
      ]);
      return longList('contentCollections', query, counted, found, collectionResponse);
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/content-collections',
    summary: 'Create a collection, with its items if there are any yet',
    needs: 'LOCATION_WRITE',
    body: NewCollection,
    response: CollectionResponse,
    problems: ['NOT_FOUND', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body } = request;
        const { businessId, type, name, identifier, items = [] } = body;
        const business = await findBusiness(transaction, caller.partnerId, businessId);
        if (!business || !reaches(reachOf(caller), { businessId }))
          throw unknownReference('businessId', `business ${businessId}`);
        const written = writtenItems([], items);
        const id = await insertCollection(transaction, caller.partnerId, {
          businessId,
          type,
          name: name.trim(),
          identifier: changedText(null, identifier),
        });
        await replaceItems(transaction, id, written);
        await recordAudit(transaction, actorOf(caller), { action: 'CREATED', subject, subjectId: id });
        return collectionResponse(await seenCollection(transaction, caller, id));
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/content-collections/:id',
    summary: 'A collection with its items',
    needs: 'LOCATION_READ',
    params: idParams,
    response: CollectionResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => collectionResponse(await seenCollection(database.pool, caller, id)),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/content-collections/:id',
    summary: 'Change a collection, or all of its items at once',
    needs: 'LOCATION_WRITE',
    params: idParams,
    body: CollectionChange,
    response: CollectionResponse,
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: async ({ caller, params: { id }, body }) => {
      if (Object.keys(body).length === 0) throw nothingToChange(Object.keys(CollectionChange.properties));
      return database.transaction(async (transaction) => {
        const collection = await lockedCollection(transaction, caller, id);
        await updateCollection(transaction, id, {
          name: body.name?.trim() ?? collection.name,
          identifier: changedText(collection.identifier, body.identifier),
        });
        if (body.items) await replaceItems(transaction, id, writtenItems(collection.items, body.items));
        await recordAudit(transaction, actorOf(caller), {
          action: 'CHANGED',
          subject,
          subjectId: id,
          details: { fields: Object.keys(body) },
        });
        return collectionResponse(await seenCollection(transaction, caller, id));
      });
    },
  });

  route(server, {
    method: 'DELETE',
    path: '/api/content-collections/:id',
    summary: 'Delete a collection that no location shows',
    needs: 'LOCATION_WRITE',
    params: idParams,
    response: Type.Object({ success: Type.Literal(true) }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ caller, params: { id } }) =>
      database.transaction(async (transaction) => {
        const { name } = await lockedCollection(transaction, caller, id);
        const shown = await countLocationsShowing(transaction, id);
        if (shown > 0) {
          throw new Problem('CONFLICT', {
            message: `Collection ${id} is shown by ${shown} ${shown === 1 ? 'location' : 'locations'}. Take it off their content lists first.`,
          });
        }
        await deleteCollection(transaction, id);
        await recordAudit(transaction, actorOf(caller), {
          action: 'DELETED',
          subject,
          subjectId: id,
          details: { name },
        });
        return { success: true as const };
      }),
  });
}

/** A collection outside the caller's reach does not exist for it. */
export async function seenCollection(sql: Sql, caller: Caller, id: number): Promise<ContentCollection> {
  const collection = await findCollection(sql, caller.partnerId, id);
  if (!collection || !reaches(reachOf(caller), { businessId: collection.businessId })) {
    throw notFound(`content collection ${id}`);
  }
  return collection;
}

/** To change it or its items: nobody else does until the transaction ends. */
export async function lockedCollection(
  transaction: Transaction,
  caller: Caller,
  id: number,
): Promise<ContentCollection> {
  await lockCollection(transaction, caller.partnerId, id);
  return seenCollection(transaction, caller, id);
}
