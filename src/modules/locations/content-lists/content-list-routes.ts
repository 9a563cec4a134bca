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
import { changeContentLists, listsOf, recordContentListChange } from './change-content-lists.ts';

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
      checkReach(caller, id, await findLocation(database.pool, caller.partnerId, id));
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
        const [location] = await lockLocations(transaction, caller.partnerId, [id]);
        const { businessId } = checkReach(caller, id, location);
        if (location?.status === 'DELETED') {
          throw new Problem('CONFLICT', { message: `Location ${id} is deleted and cannot be changed.` });
        }
        const changed = await changeContentLists(transaction, caller, { id, businessId }, body.contentLists);
        if (changed) await recordContentListChange(transaction, caller, id);
        return { contentLists: (await listsOf(transaction, id)).map(contentListResponse) };
      });
    },
  });
}

/** A location outside the caller's reach is reported as not found. */
function checkReach<T extends { businessId: number }>(caller: Caller, id: number, location: T | undefined): T {
  if (!location || !reaches(reachOf(caller), { businessId: location.businessId, locationId: id })) {
    throw notFound(`location ${id}`);
  }
  return location;
}
