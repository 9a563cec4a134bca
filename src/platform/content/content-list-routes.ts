import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordEvent } from '../../events/outbox/record-event.ts';
import { demandFields, reaches, reachOf } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Id, idParams } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { type FieldError, notFound, Problem } from '../../problems.ts';
import { actorOf } from '../actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { recordChanges } from '../locations/location-change-store.ts';
import { findLocation, lockLocations } from '../locations/location-store.ts';
import { holdCollections } from './collection-store.ts';
import { type ContentList, ContentListAnswer, contentListAnswer } from './content.ts';
import { contentListsOf, replaceContentLists } from './content-store.ts';

const ListsAnswer = Type.Object({ contentLists: Type.Array(ContentListAnswer) });

const Lists = Type.Object({
  contentLists: Type.Array(
    Type.Object({
      collectionId: Id,
      name: Type.Optional(
        Type.String({ pattern: '\\S', maxLength: 200, description: "The collection's own name unless it is given" }),
      ),
    }),
    { maxItems: 50, description: 'All lists in their order; those not given are taken off the location' },
  ),
});

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
    body: Lists,
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
        const lists = await namedLists(transaction, caller.partnerId, businessId, body);
        const before = await listsOf(transaction, id);
        if (isSame(before, lists)) return { contentLists: before.map(contentListAnswer) };
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

interface NamedList {
  collectionId: number;
  name: string;
}

async function namedLists(
  transaction: Transaction,
  partnerId: number,
  businessId: number,
  { contentLists }: Static<typeof Lists>,
): Promise<NamedList[]> {
  const ids = contentLists.map(({ collectionId }) => collectionId);
  const known = await holdCollections(transaction, partnerId, businessId, ids);
  const errors = ids.flatMap((id, index): FieldError[] => {
    const field = `contentLists[${index}].collectionId`;
    if (!known.has(id)) {
      const message = `${field} must be a collection of the location's business ${businessId}; there is no collection ${id}.`;
      return [{ field, rule: 'known', message }];
    }
    return ids.indexOf(id) === index ? [] : [{ field, rule: 'unique', message: `${field} ${id} is given twice.` }];
  });
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return contentLists.map(({ collectionId, name }) => ({
    collectionId,
    name: name?.trim() ?? (known.get(collectionId)?.name as string),
  }));
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
