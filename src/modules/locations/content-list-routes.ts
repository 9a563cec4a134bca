import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idParams } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { actorOf } from '../accounts/index.ts';
import {
  type ContentList,
  ContentListResponse,
  ContentLists,
  contentListResponse,
  contentListsOf,
  type NamedList,
  replaceContentLists,
  writtenLists,
} from '../catalog/index.ts';
import { deletedProblem, recordChangeEvents, requireVisible } from './change-location.ts';
import { requireFieldAccess } from './location-fields.ts';
import { findLocation, lockLocations } from './location-store.ts';

const ContentListsResponse = Type.Object({ contentLists: Type.Array(ContentListResponse) });

export function contentListRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/locations/:id/content-lists',
    summary: 'List the content lists of a location with their items',
    needs: 'LOCATION_READ',
    params: idParams,
    response: ContentListsResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      requireVisible(caller, id, await findLocation(database.pool, caller.partnerId, id));
      return { contentLists: (await listsOf(database.pool, id)).map(contentListResponse) };
    },
  });

  route(server, {
    method: 'PUT',
    path: '/api/locations/:id/content-lists',
    summary: 'Set the content collections of a location and their order',
    needs: 'LOCATION_WRITE',
    params: idParams,
    body: ContentLists,
    response: ContentListsResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id }, body }) => {
      requireFieldAccess(caller.user, ['contentLists']);
      return database.transaction(async (transaction) => {
        const [locked] = await lockLocations(transaction, caller.partnerId, [id]);
        const location = requireVisible(caller, id, locked);
        if (location.status === 'DELETED') throw deletedProblem(location);
        if (await changeContentLists(transaction, caller, location, body.contentLists)) {
          await recordChangeEvents(transaction, actorOf(caller), [{ locationId: id, fields: ['contentLists'] }]);
        }
        return { contentLists: (await listsOf(transaction, id)).map(contentListResponse) };
      });
    },
  });
}

/** Replaces the lists of a locked location. Returns whether anything changed. */
export async function changeContentLists(
  transaction: Transaction,
  caller: Caller,
  { id, businessId }: { id: number; businessId: number },
  given: Static<typeof ContentLists>['contentLists'],
): Promise<boolean> {
  const before = await listsOf(transaction, id);
  const { lists, itemsWritten } = await writtenLists(transaction, caller, businessId, before, given);
  if (!itemsWritten && isSame(before, lists)) return false;
  await replaceContentLists(transaction, { partnerId: caller.partnerId, id }, lists);
  return true;
}

const listsOf = async (sql: Sql, locationId: number): Promise<ContentList[]> =>
  (await contentListsOf(sql, [locationId])).get(locationId) ?? [];

const isSame = (before: readonly ContentList[], lists: readonly NamedList[]) =>
  before.length === lists.length &&
  before.every(({ collectionId, name }, at) => lists[at]?.collectionId === collectionId && lists[at].name === name);
