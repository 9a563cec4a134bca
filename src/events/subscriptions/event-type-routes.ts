import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { settings } from '../../config/settings.ts';
import { idempotentTransaction } from '../../http/idempotency.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { invalidField, notFound, Problem } from '../../problems.ts';
import {
  checkEventFields,
  type EventFields,
  type EventTypeName,
  eventJsonSchema,
  eventTypeNames,
  eventTypes,
  exampleEvent,
  isEventType,
} from '../catalogue/catalogue.ts';
import { recordEvent } from '../outbox/record-event.ts';
import { FilterableField, filterableFields } from './filter.ts';

export function eventTypeRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'GET',
    path: '/api/sales-partners/subscribable-event-types',
    summary: 'List event types that a webhook can subscribe to',
    response: Type.Object({ subscribableEventTypes: Type.Array(Type.String()) }),
    handler: async () => ({ subscribableEventTypes: [...eventTypeNames] }),
  });

  route(server, {
    method: 'GET',
    path: '/api/event-types',
    summary: 'List event types with their descriptions and the fields that filters can use',
    response: Type.Object({
      eventTypes: Type.Array(
        Type.Object({
          type: Type.String(),
          description: Type.String(),
          filterFields: Type.Array(FilterableField),
        }),
      ),
    }),
    handler: async () => ({
      eventTypes: eventTypeNames.map((type) => ({
        type,
        description: eventTypes[type].summary,
        filterFields: filterableFields(type),
      })),
    }),
  });

  route(server, {
    method: 'GET',
    path: '/api/event-types/:type',
    summary: 'Get the JSON Schema and an example of an event type',
    params: Type.Object({ type: Type.String() }),
    response: Type.Object({
      type: Type.String(),
      description: Type.String(),
      schema: Type.Unknown(),
      example: Type.Unknown(),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ params: { type } }) => {
      if (!isEventType(type)) {
        throw new Problem('NOT_FOUND', {
          message: `Event type "${type}" does not exist. Use one of ${eventTypeNames.join(', ')}.`,
        });
      }
      const description = eventTypes[type].summary;
      return { type, description, schema: eventJsonSchema(type), example: exampleEvent(type) };
    },
  });
}

export const maxPerCall = 1000;
/** Total size of the events of a call, which are recorded in one transaction. */
const maxBytes = 16 * 1024 * 1024;
/** Size of the events that are sent to the database concurrently. */
const concurrentBytes = 1024 * 1024;

/** Records example events for testing; disabled by default. */
export function emitRoutes(server: FastifyInstance, { config }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/event-types/:type/emit',
    summary: 'Record example events of a type, for testing',
    needs: 'ADMIN',
    params: Type.Object({ type: Type.String() }),
    body: Type.Object({
      fields: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Fields that replace those of the example; null omits an optional field',
        }),
      ),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: maxPerCall, default: 1 })),
    }),
    response: Type.Object({ eventIds: Type.Array(Type.Integer()) }),
    problems: ['FORBIDDEN', 'NOT_FOUND'],
    handler: async (request) => {
      if (!config.emitExamples) throw examplesDisabled();
      const { type } = request.params;
      if (!isEventType(type)) throw notFound(`event type "${type}"; GET /api/event-types lists the event types`);
      const { caller, body } = request;
      const partner = { id: caller.partnerId, identifier: caller.partnerIdentifier };
      const fields = exampleWith(type, body.fields ?? {});
      const count = body.count ?? 1;
      const bytes = Buffer.byteLength(JSON.stringify(fields));
      if (count * bytes > maxBytes) throw tooLarge(count, bytes);
      const concurrency = Math.max(1, Math.floor(concurrentBytes / bytes));
      return idempotentTransaction(request, async (transaction) => {
        const eventIds: number[] = [];
        while (eventIds.length < count) {
          const recorded = Array.from({ length: Math.min(concurrency, count - eventIds.length) }, () =>
            recordEvent(transaction, { partner, type, fields }),
          );
          eventIds.push(...(await Promise.all(recorded)));
        }
        return { eventIds };
      });
    },
  });
}

function exampleWith<T extends EventTypeName>(type: T, given: Record<string, unknown>): EventFields<T> {
  const { example, fields: schema } = eventTypes[type];
  const fields: Record<string, unknown> = { ...example, ...given };
  for (const [name, value] of Object.entries(given)) {
    if (value === null && Type.IsOptional(schema.properties[name as never])) delete fields[name];
  }
  const problems = checkEventFields(type, fields);
  if (problems.length > 0) {
    throw new Problem('INVALID_PARAMETER', {
      errors: problems.map(({ field, rule, message }) => ({ field: `fields.${field}`, rule, message })),
    });
  }
  return fields as EventFields<T>;
}

const tooLarge = (count: number, bytes: number) =>
  invalidField(
    'count',
    'maximum',
    `count is ${count} and each event has ${Math.ceil(bytes / 1024)} KiB, but a call can record at most 16 MiB. ` +
      `Set count to ${Math.floor(maxBytes / bytes)} or less, or shorten fields.`,
  );

const examplesDisabled = () =>
  new Problem('FORBIDDEN', {
    message: `Example events are disabled on this server. The administrator can enable them with ${settings.emitExamples.variable}=on.`,
  });
