import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { reaches, reachOf, requireFieldAccess } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idParams } from '../../../http/ids.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound, Problem } from '../../../problems.ts';
import { ContentListResponse, ContentLists, contentListResponse } from '../../catalog/index.ts';
import { findLocation, lockLocations } from '../location-store.ts';
import { announceContentLists, changeContentLists, listsOf } from './change-content-lists.ts';

const ListsAnswer = Type.Object({ contentLists: Type.Array(ContentListResponse) });

export function contentListRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/locations/:id/content-lists',
    summary: 'The content lists of a location with their items',
    needs: 'LOCATION_READ',
    params: idParams,
    response: ListsAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      checkReach(caller, id, await findLocation(database.pool, caller.partnerId, id));
      return { contentLists: (await listsOf(database.pool, id)).map(contentListResponse) };
    },
  });

  route(server, {
    method: 'PUT',
    path: '/api/locations/:id/content-lists',
    summary: 'Say which collections a location shows, and in which order',
    needs: 'LOCATION_WRITE',
    params: idParams,
    body: ContentLists,
    response: ListsAnswer,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id }, body }) => {
      requireFieldAccess(caller.user, ['contentLists']);
      return database.transaction(async (transaction) => {
        const [location] = await lockLocations(transaction, caller.partnerId, [id]);
        const { businessId } = checkReach(caller, id, location);
        if (location?.status === 'DELETED') {
          throw new Problem('CONFLICT', { message: `Location ${id} was deleted and cannot be changed any more.` });
        }
        const changed = await changeContentLists(transaction, caller, { id, businessId }, body.contentLists);
        if (changed) await announceContentLists(transaction, caller, id);
        return { contentLists: (await listsOf(transaction, id)).map(contentListResponse) };
      });
    },
  });
}

/** A location outside the caller's reach does not exist for it. */
function checkReach<T extends { businessId: number }>(caller: Caller, id: number, location: T | undefined): T {
  if (!location || !reaches(reachOf(caller), { businessId: location.businessId, locationId: id })) {
    throw notFound(`location ${id}`);
  }
  return location;
}
