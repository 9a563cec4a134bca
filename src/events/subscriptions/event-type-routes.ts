import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../http/route.ts';
import { Problem } from '../../problems.ts';
import { eventJsonSchema, eventTypeNames, eventTypes, exampleEvent, isEventType } from '../catalogue/catalogue.ts';

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
    summary: 'List event types with their descriptions',
    response: Type.Object({
      eventTypes: Type.Array(Type.Object({ type: Type.String(), description: Type.String() })),
    }),
    handler: async () => ({
      eventTypes: eventTypeNames.map((type) => ({ type, description: eventTypes[type].summary })),
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
