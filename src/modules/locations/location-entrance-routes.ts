import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Transaction } from '../../database/transaction.ts';
import { reaches, reachOf } from '../../http/access.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { Id } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import { TaskResponse, taskResponse } from '../../jobs/tasks/task.ts';
import { createTask } from '../../jobs/tasks/task-store.ts';
import { type FieldError, invalidField, Problem, unknownReference } from '../../problems.ts';
import { type Actor, actorOf, requireAccountManager } from '../accounts/index.ts';
import { BusinessResponse, businessResponse, createBusiness, findBusiness, NewBusiness } from '../catalog/index.ts';
import { directoryList } from '../directories/index.ts';
import { createLocation } from './create-location.ts';
import { describeLocation } from './describe-locations.ts';
import { downloadJob, downloadTask } from './download-job.ts';
import { NewLocation } from './location.ts';
import { LocationAnswer } from './location-answer.ts';
import { problemUnder } from './problem-under.ts';

const { businessId: _, ...locationFields } = NewLocation.properties;

/** What a directory is asked for when the id of the page is not known. */
const Search = Type.Object({
  name: Type.String({ pattern: '\\S', maxLength: 200 }),
  street: Type.Optional(Type.String({ maxLength: 200 })),
  zip: Type.Optional(Type.String({ maxLength: 20 })),
  city: Type.Optional(Type.String({ maxLength: 100 })),
  country: Type.Optional(Type.String({ maxLength: 2 })),
  phone: Type.Optional(Type.String({ maxLength: 50 })),
});

const readable = directoryList.filter(({ supports }) => supports.onlineListing && !supports.linkOnly);

/** The ways by which locations come in beside the plain one: a sale, and a page that a directory already has. */
export function locationEntranceRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'POST',
    path: '/api/checkout/locations',
    summary: 'Create a location that was sold, and the business with its product plan if it is new',
    needs: 'LOCATION_WRITE',
    body: Type.Object({
      businessId: Type.Optional(Type.Integer({ ...Id, description: 'The business, if it is there already' })),
      business: Type.Optional(NewBusiness),
      location: Type.Object(locationFields, { title: 'SoldLocation', 'x-resource': 'Location' }),
    }),
    response: Type.Object({ business: BusinessResponse, location: LocationAnswer }),
    problems: ['NOT_FOUND', 'CONFLICT', 'IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body, grants } = request;
        const actor = actorOf(caller, grants);
        const business = await soldTo(transaction, actor, body);
        const input = { ...body.location, businessId: business.id };
        const location = await problemUnder('location', createLocation(transaction, actor, 'CHECKOUT', input));
        return {
          business: businessResponse(business),
          location: await describeLocation(transaction, request, location),
        };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/locations/data-download',
    summary: 'Create a location from a page that a directory has; the task says when it is there',
    needs: 'LOCATION_WRITE',
    body: Type.Object({
      businessId: Id,
      directoryType: Type.Enum(readable.map(({ type }) => type)),
      externalId: Type.Optional(Type.String({ pattern: '\\S', maxLength: 255, description: 'The page there' })),
      search: Type.Optional(Search),
      identifier: Type.Optional(NewLocation.properties.identifier),
      categories: Type.Optional(NewLocation.properties.categories),
    }),
    response: TaskResponse,
    problems: ['NOT_FOUND'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { caller, body } = request;
        if ((body.externalId === undefined) === (body.search === undefined)) throw onePageOnly;
        const isVisible = reaches(reachOf(caller), { businessId: body.businessId });
        const business = isVisible && (await findBusiness(transaction, caller.partnerId, body.businessId));
        if (!business) throw unknownReference('businessId', `business ${body.businessId}`);
        const task = { type: downloadTask, parameters: body, total: 1, job: downloadJob };
        return taskResponse(await createTask(transaction, actorOf(caller), task));
      }),
  });
}

async function soldTo(
  transaction: Transaction,
  actor: Actor,
  { businessId, business }: { businessId?: number; business?: Parameters<typeof createBusiness>[2] },
) {
  if (business && businessId === undefined) {
    requireAccountManager(actor, 'To create a business');
    return problemUnder('business', createBusiness(transaction, actor, business));
  }
  if (business || businessId === undefined) throw oneBusinessOnly;
  const isVisible = !actor.user || reaches(actor.user.reach, { businessId });
  const known = isVisible && (await findBusiness(transaction, actor.partner.id, businessId));
  if (!known) throw unknownReference('businessId', `business ${businessId}`);
  return known;
}
const required = (field: string, message: string): FieldError => ({ field, rule: 'required', message });

const oneBusinessOnly = new Problem('MISSING_PARAMETER', {
  errors: [required('business', 'Give either businessId of a business that is there, or business for a new one.')],
});

const onePageOnly = invalidField('externalId', 'either', 'Give either externalId of the page, or search to find it.');
