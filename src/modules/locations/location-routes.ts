import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction, writeTransaction } from '../../http/idempotency.ts';
import { idParams } from '../../http/ids.ts';
import { longList, longListSchema, pageQuery } from '../../http/pagination.ts';
import { deleteRoute, route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { deletableField, requireChange } from '../../http/validation.ts';
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
import { changeLocation, deletedProblem, recordChangeEvents, requireVisible } from './change-location.ts';
import { changeStatus, type RequestedTransition, requestedTransition } from './change-status.ts';
import { createLocation } from './create-location.ts';
import { missingFieldsOf } from './derived-fields.ts';
import { Day } from './hours.ts';
import { classifications, type Location, LocationChange, locationStatuses, NewLocation } from './location.ts';
import { requireFieldAccess } from './location-fields.ts';
import {
  describeLinkedLocation,
  fieldMaskQuery,
  LocationResponse,
  readLocation,
  requestedFields,
} from './location-response.ts';
import {
  countChanges,
  findLinkedLocation,
  findLocation,
  type LockedLocation,
  listChanges,
  lockLocations,
  touchLocations,
} from './location-store.ts';

const endDate = Type.Optional(
  Type.String({ ...Day, description: 'With CANCELLED: the last day, YYYY-MM-DD. Default: today' }),
);

export const StatusChange = { status: Type.Optional(Type.Enum([...locationStatuses])), endDate };

const { contentLists } = ContentLists.properties;

const Creation = Type.Object(
  { ...NewLocation.properties, contentLists: Type.Optional(contentLists) },
  { title: 'NewLocation', 'x-resource': 'Location' },
);

const Change = Type.Object(
  { ...LocationChange.properties, contentLists: deletableField(contentLists), ...StatusChange },
  { title: 'LocationChange', 'x-resource': 'Location' },
);

const changeProblems = ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'] as const;

type Reader = Pick<FastifyRequest, 'grants' | 'warnings'> & { caller: Caller };

export function locationRoutes(server: FastifyInstance, { database }: Services): void {
  const visible = async (caller: Caller, id: number): Promise<Location> =>
    requireVisible(caller, id, await findLocation(database.autocommit, caller.partnerId, id));

  const change = async (transaction: Transaction, reader: Reader, id: number, body: Static<typeof Change>) => {
    const { status, endDate: ends, contentLists: lists, ...patch } = body;
    requireChange(body, Change.properties, reader.warnings);
    const wanted = requestedTransition(status, ends);
    const actor = actorOf(reader.caller, reader.grants);
    if (lists !== undefined) requireFieldAccess(actor.user, ['contentLists']);
    const changeLists = async (changed: LockedLocation) =>
      (await changeContentLists(transaction, reader.caller, changed, lists ?? [])) ? ['contentLists'] : [];
    // A status can be written again, also DELETED, which allows no other change.
    if (wanted && lists === undefined && Object.keys(patch).length === 0) return move(transaction, reader, id, wanted);
    const location = await changeLocation(transaction, actor, id, patch, lists === undefined ? undefined : changeLists);
    return wanted ? move(transaction, reader, id, wanted) : describeLinkedLocation(transaction, reader, location);
  };

  const move = async (transaction: Transaction, reader: Reader, id: number, wanted: RequestedTransition) => {
    await changeStatus(transaction, actorOf(reader.caller), id, wanted, new Date());
    return readLocation(transaction, reader, id);
  };

  route(server, {
    method: 'POST',
    path: '/api/locations',
    summary: 'Create a location',
    needs: 'LOCATION_WRITE',
    body: Creation,
    response: LocationResponse,
    problems: changeProblems,
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body, grants } = request;
        const { contentLists: lists, ...input } = body;
        if (lists) requireFieldAccess(caller.user, ['contentLists']);
        const location = await createLocation(transaction, actorOf(caller, grants), 'API', input);
        if (lists) await changeContentLists(transaction, caller, location, lists);
        return readLocation(transaction, request, location.id);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/locations/:id',
    summary: 'Get a location',
    needs: 'LOCATION_READ',
    params: idParams,
    query: Type.Object(fieldMaskQuery),
    response: LocationResponse,
    problems: ['NOT_FOUND'],
    handler: async (request) => {
      const { caller, params, query, grants } = request;
      const found = await findLinkedLocation(database.autocommit, caller.partnerId, params.id);
      const location = requireVisible(caller, params.id, found);
      return describeLinkedLocation(database.autocommit, request, location, requestedFields(query.fieldMask, grants));
    },
  });

  for (const method of ['PATCH', 'PUT', 'POST'] as const) {
    route(server, {
      method,
      path: '/api/locations/:id',
      summary: 'Change a location; absent fields are unchanged',
      needs: 'LOCATION_WRITE',
      params: idParams,
      body: Change,
      response: LocationResponse,
      problems: changeProblems,
      handler: (request) =>
        writeTransaction(request, (transaction) => change(transaction, request, request.params.id, request.body)),
    });
  }

  deleteRoute(server, {
    path: '/api/locations/:id',
    summary: 'Delete a location that is CREATED, or INACTIVE after its end date',
    needs: 'LOCATION_WRITE',
    params: idParams,
    problems: ['NOT_FOUND', 'CONFLICT'],
    remove: async (transaction, { caller, params: { id } }) => {
      await changeStatus(transaction, actorOf(caller), id, { to: 'DELETED' }, new Date());
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/locations/:id/status',
    summary: 'Change the status of a location',
    needs: 'LOCATION_WRITE',
    params: idParams,
    body: Type.Object({
      status: Type.Enum([...locationStatuses]),
      endDate,
      comment: Type.Optional(Type.String({ maxLength: 1000, description: 'Reason, sent with the event' })),
    }),
    response: LocationResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, (transaction) => {
        const { status, endDate: ends, ...comment } = request.body;
        const wanted = { to: status, ...requestedTransition(status, ends), ...comment };
        return move(transaction, request, request.params.id, wanted);
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/locations/:id/history',
    summary: 'List the changes of a location with user and fields, newest first',
    needs: 'LOCATION_READ',
    params: idParams,
    query: Type.Object(pageQuery),
    response: longListSchema(
      'changes',
      Type.Object({
        id: Type.Integer(),
        changedAt: Type.String(),
        changedBy: Type.String({ description: "A user's e-mail address, PRIVATE_TOKEN or SYSTEM" }),
        fields: Type.Array(Type.String()),
      }),
    ),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      await visible(caller, id);
      const [counted, found] = await Promise.all([
        countChanges(database.pool, caller.partnerId, id),
        listChanges(database.pool, id, query),
      ]);
      return longList('changes', query, counted, found, ({ changedAt, ...entry }) => ({
        ...entry,
        changedAt: changedAt.toISOString(),
      }));
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/locations/:id/completeness',
    summary: 'Get the profile completeness of a location and the missing fields of each level',
    needs: 'LOCATION_READ',
    params: idParams,
    response: Type.Object({
      profileCompleteness: Type.Integer({ minimum: 0, maximum: 100 }),
      levels: Type.Array(
        Type.Object({
          classification: Type.Enum([...classifications]),
          missing: Type.Array(Type.Array(Type.String()), {
            description: 'Each entry is a missing part, as the list of fields that fill it',
            examples: [[['openingHours'], ['descriptionShort', 'descriptionLong']]],
          }),
        }),
      ),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      const location = await visible(caller, id);
      const levels = classifications.map((classification) => ({
        classification,
        missing: missingFieldsOf(location, classification).map((fields) => [...fields]),
      }));
      return { profileCompleteness: location.profileCompleteness, levels };
    },
  });
}

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
async function changeContentLists(
  transaction: Transaction,
  caller: Caller,
  location: { id: number; businessId: number },
  given: Static<typeof ContentLists>['contentLists'],
): Promise<boolean> {
  const { id } = location;
  const before = await listsOf(transaction, id);
  const { lists, itemsWritten } = await writtenLists(transaction, caller, location, before, given);
  if (!itemsWritten && isSame(before, lists)) return false;
  await replaceContentLists(transaction, { partnerId: caller.partnerId, id }, lists);
  await touchLocations(transaction, caller.partnerId, [id]);
  return true;
}

const listsOf = async (sql: Sql, locationId: number): Promise<ContentList[]> =>
  (await contentListsOf(sql, [locationId])).contentLists.get(locationId) ?? [];

const isSame = (before: readonly ContentList[], lists: readonly NamedList[]) =>
  before.length === lists.length &&
  before.every(({ collectionId, name }, at) => lists[at]?.collectionId === collectionId && lists[at].name === name);
