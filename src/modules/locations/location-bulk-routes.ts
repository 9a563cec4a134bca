import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Grant } from '../../api/versions/version-change.ts';
import type { Transaction } from '../../database/transaction.ts';
import { reachOf } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { dryRun, writeTransaction } from '../../http/idempotency.ts';
import { Id } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import { requireChange } from '../../http/validation.ts';
import { invalidField, type Problem, requireOneOf } from '../../problems.ts';
import { actorOf } from '../accounts/index.ts';
import { deletedProblem, isVisible, locationNotFound, writeChanges } from './change-location.ts';
import {
  hasRequestedStatus,
  type RequestedTransition,
  refusalOf,
  requestedTransition,
  transitionLocations,
} from './change-status.ts';
import { LocationChange, type LocationPatch } from './location.ts';
import { requireFieldAccess } from './location-fields.ts';
import { bulkFilter, readLocationFilter } from './location-filter.ts';
import { lockMatchingLocations } from './location-list-store.ts';
import { StatusChange } from './location-routes.ts';
import { type LockedLocation, lockLocations } from './location-store.ts';
import { problemOf } from './references.ts';

/** Limit per call. */
const maxBulkSize = 1000;

const FailedChange = Type.Object({
  id: Type.Integer(),
  status: Type.String(),
  message: Type.String(),
  errorCode: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), rule: Type.String(), message: Type.String() }))),
});
type FailedChange = Static<typeof FailedChange>;

const BulkResponse = Type.Object({
  updatedCount: Type.Integer(),
  failedCount: Type.Integer(),
  updatedIds: Type.Array(Type.Integer(), { description: 'Locations that now have the requested state' }),
  failed: Type.Array(FailedChange),
});

/** Either ids or a filter. */
interface Selection {
  ids?: number[];
  filter?: Parameters<typeof readLocationFilter>[2];
}

/** Changes many locations. Each is changed completely or not at all, independently of the others. */
async function changeMany(
  transaction: Transaction,
  { caller, grants }: { caller: Caller; grants: ReadonlySet<Grant> },
  selection: Selection,
  { patch = {}, move }: { patch?: LocationPatch; move?: RequestedTransition | undefined },
): Promise<Static<typeof BulkResponse>> {
  const now = new Date();
  const actor = actorOf(caller, grants);
  requireFieldAccess(caller.user, [...Object.keys(patch), ...(move ? ['status'] : [])]);
  const ids = await idsOf(transaction, caller, selection);
  const locked = await lockLocations(transaction, actor.partner.id, ids);
  const visible = new Map(locked.filter((one) => isVisible(actor, one)).map((one) => [one.id, one]));
  const failures = new Map<number, FailedChange>();
  for (const id of ids) if (!visible.has(id)) failures.set(id, failure(id, locationNotFound(id)));

  const moving: LockedLocation[] = [];
  for (const location of visible.values()) {
    const refusal = move && !hasRequestedStatus(location, move) ? refusalOf(location, move, now) : undefined;
    if (refusal) failures.set(location.id, failure(location.id, refusal));
    else moving.push(location);
  }
  const patches = moving.map((before) => ({ before, patch }));
  const changed = await writeChanges(transaction, actor, patches);
  const done = moving.filter(({ id }, index) => {
    const result = changed[index];
    if (!result || !('errors' in result)) return true;
    // Deleting a deleted location succeeds.
    if (result.before && move?.to === 'DELETED') return true;
    failures.set(id, failure(id, result.before ? deletedProblem(result.before) : problemOf(result.errors)));
    return false;
  });
  const due = move ? done.filter((location) => !hasRequestedStatus(location, move)) : [];
  if (move && due.length > 0) await transitionLocations(transaction, actor, due, { ...move, by: 'user', now });
  const failed = ids.flatMap((id) => failures.get(id) ?? []);
  const updatedIds = done.map(({ id }) => id);
  return { updatedCount: updatedIds.length, failedCount: failed.length, updatedIds, failed };
}

async function idsOf(transaction: Transaction, caller: Caller, { ids, filter }: Selection): Promise<number[]> {
  requireOneOf({ ids, filter });
  if (ids) return [...new Set(ids)];
  const wanted = await readLocationFilter(transaction, caller, filter ?? {});
  const matching = { partnerId: caller.partnerId, reach: reachOf(caller), filter: wanted };
  const found = await lockMatchingLocations(transaction, matching, maxBulkSize + 1);
  if (found.length <= maxBulkSize) return found;
  const message = `filter matches more than ${maxBulkSize} locations, the limit per call. Use a narrower filter.`;
  throw invalidField('filter', 'maximum', message);
}

const failure = (id: number, { status, message, errorCode, errors }: Problem): FailedChange => ({
  id,
  status,
  message,
  ...(errorCode && { errorCode }),
  ...(errors.length > 0 && { errors: [...errors] }),
});

const ids = Type.Optional(Type.Array(Id, { minItems: 1, maxItems: maxBulkSize, description: 'Location ids' }));

/** Accepts "" as null in nested fields, as at the top level of a body. */
const blankable = <T extends object>(schemas: T): T =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      'pattern' in schema ? Type.Optional({ ...schema, pattern: `^$|${schema.pattern}` }) : schema,
    ]),
  ) as T;

const Changes = Type.Object(
  { ...blankable(LocationChange.properties), ...StatusChange },
  { title: 'LocationChanges', 'x-resource': 'Location' },
);

export function locationBulkRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'PATCH',
    path: '/api/locations',
    summary: `Apply the same change to many locations, at most ${maxBulkSize} per call`,
    needs: 'LOCATION_WRITE',
    query: Type.Object({ dryRun }),
    body: Type.Object({ ids, filter: bulkFilter, changes: Changes, dryRun }),
    response: BulkResponse,
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      writeTransaction(request, async (transaction) => {
        const { body } = request;
        const { status, endDate, ...patch } = withoutBlanks(body.changes);
        const given = Object.keys(Changes.properties).filter((name) => Object.hasOwn(body.changes, name));
        requireChange(given, Changes.properties, request.warnings);
        return changeMany(transaction, request, body, { patch, move: requestedTransition(status, endDate) });
      }),
  });

  route(server, {
    method: 'DELETE',
    path: '/api/locations',
    summary: 'Delete locations that are CREATED, or INACTIVE after their end date',
    needs: 'LOCATION_WRITE',
    query: Type.Object({ ids, dryRun }),
    body: Type.Object({ ids, filter: bulkFilter, dryRun }),
    response: BulkResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      writeTransaction(request, async (transaction) => {
        const { query, body } = request;
        if (query.ids && (body.ids || body.filter)) {
          throw invalidField('ids', 'either', 'ids is in the query: the body must not contain ids or filter.');
        }
        const selection = query.ids ? { ids: query.ids } : body;
        return changeMany(transaction, request, selection, { move: { to: 'DELETED' } });
      }),
  });
}

const withoutBlanks = <T extends object>(changes: T): T =>
  Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value === '' ? null : value])) as T;
