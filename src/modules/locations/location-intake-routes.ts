import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../database/transaction.ts';
import { requireAccountManager } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import { TaskResponse, taskResponse } from '../../jobs/tasks/task.ts';
import { createTask } from '../../jobs/tasks/task-store.ts';
import { Problem, type ProblemName, renameField, requireOneOf } from '../../problems.ts';
import { type Actor, actorOf } from '../accounts/index.ts';
import { BusinessResponse, businessResponse, createBusiness, NewBusiness, requireBusiness } from '../catalog/index.ts';
import { ListingProfile } from '../directories/index.ts';
import { createLocation } from './create-location.ts';
import { NewLocation } from './location.ts';
import { requireFieldAccess } from './location-fields.ts';
import { DownloadRequest, downloadJob, downloadTask } from './location-jobs.ts';
import { LocationResponse, readLocation } from './location-response.ts';

const { businessId: _, ...locationFields } = NewLocation.properties;

/** Creates locations from a checkout or from a directory listing. */
export function locationIntakeRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'POST',
    path: '/api/checkout/locations',
    summary: 'Create a location from a checkout, and its business if it is new',
    needs: 'LOCATION_WRITE',
    body: Type.Object({
      businessId: Type.Optional(Type.Integer({ ...Id, description: 'Id of an existing business' })),
      business: Type.Optional(NewBusiness),
      location: Type.Object(locationFields, { title: 'SoldLocation', 'x-resource': 'Location' }),
    }),
    response: Type.Object({ business: BusinessResponse, location: LocationResponse }),
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body, grants } = request;
        const actor = actorOf(caller, grants);
        const business = await findOrCreateBusiness(transaction, caller, actor, body);
        const input = { ...body.location, businessId: business.id };
        const { id } = await prefixProblemFields('location', createLocation(transaction, actor, 'CHECKOUT', input));
        return { business: businessResponse(business), location: await readLocation(transaction, request, id) };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/locations/data-download',
    summary: 'Create a location from a directory listing; the task reports completion',
    needs: 'LOCATION_WRITE',
    body: DownloadRequest,
    response: TaskResponse,
    problems: ['NOT_FOUND'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body } = request;
        const { externalId, search } = body;
        requireOneOf({ externalId, search });
        await requireBusiness(transaction, caller, body.businessId);
        requireFieldAccess(caller.user, [
          ...Object.keys(ListingProfile.properties),
          ...(body.identifier === undefined ? [] : ['identifier']),
        ]);
        const task = { type: downloadTask, parameters: body, total: 1, job: downloadJob };
        return taskResponse(await createTask(transaction, actorOf(caller), task));
      }),
  });
}

async function findOrCreateBusiness(
  transaction: Transaction,
  caller: Caller,
  actor: Actor,
  { businessId, business }: { businessId?: number; business?: Parameters<typeof createBusiness>[2] },
) {
  requireOneOf({ business, businessId });
  if (!business) return requireBusiness(transaction, caller, businessId as number);
  requireAccountManager(actor, 'To create a business');
  return prefixProblemFields('business', createBusiness(transaction, actor, business));
}

/** Prefixes the fields of a problem and of its messages with their part of the body: `location.zip`. */
async function prefixProblemFields<T>(part: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error;
    const errors = error.errors.map((one) => renameField(one, `${part}.${one.field}`));
    throw new Problem((error.errorCode ?? error.status) as ProblemName, { errors });
  }
}
