import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordEvent } from '../../events/outbox/record-event.ts';
import { demandFields, reaches, reachOf } from '../../http/access.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idParams } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { notFound, Problem } from '../../problems.ts';
import { actorOf } from '../actor.ts';
import { recordChanges } from '../locations/location-change-store.ts';
import { findLocation, lockLocations } from '../locations/location-store.ts';
import { type ContentList, ContentListAnswer, contentListAnswer } from './content.ts';
import { contentListsOf, replaceContentLists } from './content-store.ts';
import { ContentLists, type NamedList, writtenLists } from './write-content-lists.ts';

const ListsAnswer = Type.Object({ contentLists: Type.Array(ContentListAnswer) });

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
      return { contentLists: (await listsOf(database.pool, id)).map(contentListAnswer) };
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
      demandFields(caller.user, ['contentLists']);
      return database.transaction(async (transaction) => {
        const [location] = await lockLocations(transaction, caller.partnerId, [id]);
        const { businessId } = checkReach(caller, id, location);
        if (location?.status === 'DELETED') {
          throw new Problem('CONFLICT', { message: `Location ${id} was deleted and cannot be changed any more.` });
        }
        const before = await listsOf(transaction, id);
        const { lists, itemsWritten } = await writtenLists(transaction, caller, businessId, before, body.contentLists);
        if (!itemsWritten && isSame(before, lists)) return { contentLists: before.map(contentListAnswer) };
        await replaceContentLists(transaction, { partnerId: caller.partnerId, id }, lists);
        await tell(transaction, caller, id);
        return { contentLists: (await listsOf(transaction, id)).map(contentListAnswer) };
      });
    },
  });
}

const listsOf = async (sql: Sql, locationId: number): Promise<ContentList[]> =>
  (await contentListsOf(sql, [locationId])).get(locationId) ?? [];

/** A location outside the caller's reach does not exist for it. */
function checkReach<T extends { businessId: number }>(caller: Caller, id: number, location: T | undefined): T {
  if (!location || !reaches(reachOf(caller), { businessId: location.businessId, locationId: id })) {
    throw notFound(`location ${id}`);
  }
  return location;
}

const isSame = (before: readonly ContentList[], lists: readonly NamedList[]) =>
  before.length === lists.length &&
  before.every(({ collectionId, name }, at) => lists[at]?.collectionId === collectionId && lists[at].name === name);

async function tell(transaction: Transaction, caller: Caller, locationId: number): Promise<void> {
  const actor = actorOf(caller);
  await recordChanges(transaction, actor.by, [{ locationId, fields: ['contentLists'] }]);
  await recordEvent(transaction, {
    partner: actor.partner,
    type: 'LOCATION_PROFILE_CHANGED',
    fields: { comment: 'Changed: contentLists', location: locationId, user: actor.by },
  });
  await recordAudit(transaction, actor, {
    action: 'CHANGED',
    subject: 'LOCATION',
    subjectId: locationId,
    details: { fields: ['contentLists'] },
  });
}
