import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../database/transaction.ts';
import { reachOf } from '../../http/access.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { Caller } from '../../http/authenticate.ts';
import { dryRun, idempotentTransaction, isDryRun, writeTransaction } from '../../http/idempotency.ts';
import { Id, idParams } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import { TaskResponse, taskResponse } from '../../jobs/tasks/task.ts';
import { createTask } from '../../jobs/tasks/task-store.ts';
import { requireOneOf } from '../../problems.ts';
import { actorOf } from '../accounts/index.ts';
import {
  bulkFilter,
  findLocation,
  findLocations,
  isVisible,
  locationNotFound,
  readLocationFilter,
} from '../locations/index.ts';
import { ListingResponse, listingResponse } from './listing.ts';
import { requireLocation } from './listing-routes.ts';
import {
  checkSyncable,
  type FailedSync,
  failedSync,
  findBatch,
  type SyncParameters,
  startSync,
  syncManyJob,
} from './sync.ts';

/** Task type in GET /api/tasks. */
const syncTask = 'LOCATION_SYNC';
const maxIds = 10_000;

const submit = Type.Optional(
  Type.Boolean({ description: 'Whether differences are submitted to the directories. Default: true' }),
);

export function syncRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'POST',
    path: '/api/locations/:id/sync',
    summary: 'Compare a location with its directories and submit differences',
    needs: 'LOCATION_WRITE',
    params: idParams,
    body: Type.Object({ submit }),
    response: Type.Object({
      locationId: Type.Integer(),
      lastSyncStarted: Type.String(),
      listings: Type.Array(ListingResponse, { description: 'Listings to be checked, in their state before the sync' }),
    }),
    problems: ['NOT_FOUND', 'INACTIVE', 'NOT_SYNCABLE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, params, body } = request;
        const location = await requireLocation(transaction, caller, params.id);
        const actor = actorOf(caller);
        const listings = await startSync(transaction, actor, location, {
          submit: body.submit ?? true,
          requested: true,
        });
        await recordAudit(transaction, actor, 'SYNCED', 'LOCATION', location.id);
        const synced = await findLocation(transaction, caller.partnerId, params.id);
        const started = synced?.lastSyncStarted ?? new Date();
        return {
          locationId: location.id,
          lastSyncStarted: started.toISOString(),
          listings: listings.map(listingResponse),
        };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/locations/sync',
    summary: 'Sync many locations with a task that reports progress and can be cancelled',
    needs: 'LOCATION_WRITE',
    query: Type.Object({ dryRun }),
    body: Type.Object({
      locationIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: maxIds })),
      filter: bulkFilter,
      submit,
      dryRun,
    }),
    response: Type.Object({
      task: Type.Optional(
        Type.Object(TaskResponse.properties, {
          description: 'Absent for a dry run, and when no location can be synced',
        }),
      ),
      acceptedCount: Type.Optional(
        Type.Integer({ description: 'Number of locations to be synced; with a filter only for a dry run' }),
      ),
      failedCount: Type.Integer({ description: 'With a filter 0, except for a dry run: the task counts them' }),
      failed: Type.Array(Type.Object({ id: Type.Integer(), status: Type.String(), message: Type.String() })),
    }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      writeTransaction(request, async (transaction) => {
        const { caller, body } = request;
        const { locationIds, filter } = body;
        requireOneOf({ locationIds, filter });
        const ids = locationIds && [...new Set(locationIds)];
        const reach = reachOf(caller);
        const known = ids ? await findLocations(transaction, caller.partnerId, ids) : [];
        const visible = known.filter((location) => isVisible(caller, location));
        const visibleIds = new Set(visible.map(({ id }) => id));
        const checked = await checkSyncable(transaction, caller.partnerId, visible);
        const failures = new Map(checked.failed.map((failure) => [failure.id, failure]));
        const failed = (ids ?? []).flatMap((id) =>
          visibleIds.has(id) ? (failures.get(id) ?? []) : failedSync(id, locationNotFound(id)),
        );
        // An invalid filter is rejected now, not in the task. Labels are limited to those that the caller sees.
        const { labelIds } = filter ? await readLocationFilter(transaction, caller, filter) : {};
        const failedIds = new Set(failed.map(({ id }) => id));
        const wanted = ids?.filter((id) => !failedIds.has(id));
        const outcome = { ...(wanted && { acceptedCount: wanted.length }), failedCount: failed.length, failed };
        if (filter && isDryRun(request)) return validateFilter(transaction, request, { filter, reach });
        if (wanted?.length === 0 || isDryRun(request)) return outcome;
        const parameters: SyncParameters = {
          ...(wanted && { ids: wanted }),
          ...(filter && { filter: { ...filter, ...(labelIds && { labels: labelIds.map(String) }) } }),
          reach,
          submit: body.submit ?? true,
        };
        const task = await createTask(transaction, actorOf(caller), {
          type: syncTask,
          parameters,
          ...(wanted && { total: wanted.length }),
          job: syncManyJob,
        });
        const details = { locations: wanted?.length ?? null };
        await recordAudit(transaction, actorOf(caller), 'SYNCED', 'LOCATION', undefined, details);
        return { task: taskResponse(task), ...outcome };
      }),
  });
}

const validatedAtOnce = 1000;

/** As many locations as locationIds may contain. */
async function validateFilter(
  transaction: Transaction,
  { caller, warnings }: { caller: Caller; warnings: string[] },
  parameters: SyncParameters,
) {
  const failed: FailedSync[] = [];
  let acceptedCount = 0;
  for (let after = 0, isLast = false; !isLast; ) {
    if (acceptedCount + failed.length >= maxIds) {
      warnings.push(`Only the first ${maxIds} matching locations were validated.`);
      break;
    }
    const batch = await findBatch(transaction, caller, parameters, { after, limit: validatedAtOnce });
    failed.push(...batch.failed);
    acceptedCount += batch.syncable.length;
    after = batch.ids.at(-1) ?? after;
    isLast = batch.isLast;
  }
  return { acceptedCount, failedCount: failed.length, failed };
}
