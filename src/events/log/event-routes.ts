import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import { idParams } from '../../http/ids.ts';
import { longListSchema } from '../../http/long-list.ts';
import { isDescending } from '../../http/pagination.ts';
import { readPeriod } from '../../http/period.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../problems.ts';
import { eventTypeNames } from '../catalogue/catalogue.ts';
import { EventStoryAnswer, eventAnswer, eventStoryAnswer, ListedEventAnswer, outcomeOf } from './event.ts';
import { behindEvent, readEventRange } from './event-range.ts';
import { countEvents, findEvent, listEncounters, listEvents } from './event-store.ts';
import { logPage, logQuery } from './log-page.ts';

export function eventRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/events',
    summary: 'The events that were recorded, the newest first unless asked otherwise',
    needs: 'ADMIN',
    query: Type.Object({
      ...logQuery,
      type: Type.Array(Type.Enum([...eventTypeNames]), { default: [...eventTypeNames] }),
      includeChildren: Type.Boolean({ default: false, description: 'Also the events of all partners below' }),
      withSummary: Type.Boolean({ default: false, description: 'With a sentence on what became of each event' }),
    }),
    response: longListSchema('events', ListedEventAnswer),
    handler: async ({ caller, query }) => {
      const events = await readEventRange(database.pool, readPeriod(query));
      const descending = isDescending(query.order);
      const filter = {
        callerId: caller.partnerId,
        includeChildren: query.includeChildren,
        types: [...new Set(query.type)],
        events,
      };
      const [counted, found] = await Promise.all([
        countEvents(database.pool, filter),
        listEvents(
          database.pool,
          { ...filter, events: behindEvent(events, query.after, descending) },
          { offset: query.offset, limit: query.max + 1, descending },
        ),
      ]);
      if (!query.withSummary) return logPage('events', query, counted, found, eventAnswer);
      const encounters = await listEncounters(database.pool, caller.partnerId, found.slice(0, query.max));
      return logPage('events', query, counted, found, (event) => ({
        ...eventAnswer(event),
        ...outcomeOf(event, encounters.get(event.eventId) ?? [], event.isTopmost),
      }));
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/events/:id',
    summary: 'An event, and why it has or has not reached each webhook',
    needs: 'ADMIN',
    params: idParams,
    response: EventStoryAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      const event = await findEvent(database.pool, caller.partnerId, id);
      if (!event) throw notFound(`event ${id}`);
      const encounters = await listEncounters(database.pool, caller.partnerId, [event]);
      const now = await databaseNow(database.pool);
      return eventStoryAnswer(event, encounters.get(id) ?? [], { sawAll: event.isTopmost, now });
    },
  });
}
