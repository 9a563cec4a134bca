import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import { Id, idParams } from '../../http/ids.ts';
import { cursorList, longListSchema } from '../../http/pagination.ts';
import { readPeriod } from '../../http/period.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { requireFound, unknownReference } from '../../problems.ts';
import { eventTypeNames } from '../catalogue/catalogue.ts';
import { checkFilter, FilterField, filterPath, filterText } from '../subscriptions/filter.ts';
import { EventTypesField, NewWebhook, newTypes } from '../subscriptions/webhook.ts';
import { requirePartner } from '../subscriptions/webhook-store.ts';
import {
  EventDetailsResponse,
  eventDetailsResponse,
  eventResponse,
  eventSummary,
  ListedEventResponse,
} from './event.ts';
import { countEvents, findEvent, firstEvents, listEvents, listWebhookMatches } from './event-store.ts';
import { logQuery, matchingEvents, maxSearched, readEventRange, readLog, readSearch, searchQuery } from './log-page.ts';

export function eventRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/events',
    summary: 'List recorded events, newest first by default',
    needs: 'ADMIN',
    query: Type.Object({
      ...logQuery,
      ...searchQuery,
      type: Type.Array(Type.Enum([...eventTypeNames]), { default: [...eventTypeNames] }),
      includeChildren: Type.Boolean({ default: false, description: 'Include events of all descendant partners' }),
      withSummary: Type.Boolean({ default: false, description: 'Add a summary of the deliveries of each event' }),
    }),
    response: longListSchema('events', ListedEventResponse),
    handler: async ({ caller, query }) => {
      const events = await readEventRange(database.pool, readPeriod(query));
      const types = [...new Set(query.type)];
      const search = readSearch(query, types);
      const filter = {
        callerId: caller.partnerId,
        includeChildren: query.includeChildren,
        types: search?.types ?? types,
        events,
      };
      const sql = database.pool;
      const [counted, found] = await readLog({
        sql,
        callerId: caller.partnerId,
        query,
        events,
        search,
        count: () => countEvents(sql, filter),
        list: (range, page) => listEvents(sql, { ...filter, events: range }, page),
        candidates: (order) => firstEvents(sql, filter, maxSearched, order),
      });
      if (!query.withSummary) return cursorList('events', query, counted, found, eventResponse);
      const matches = await listWebhookMatches(database.pool, caller.partnerId, found.entries);
      return cursorList('events', query, counted, found, (event) => ({
        ...eventResponse(event),
        ...eventSummary(event, matches.get(event.eventId) ?? [], event.isTopmost),
      }));
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/events/:id',
    summary: 'Get an event with the state of its delivery to each webhook',
    needs: 'ADMIN',
    params: idParams,
    response: EventDetailsResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      const event = requireFound(await findEvent(database.pool, caller.partnerId, id), `event ${id}`);
      const matches = await listWebhookMatches(database.pool, caller.partnerId, [event]);
      const now = await databaseNow(database.pool);
      return eventDetailsResponse(event, matches.get(id) ?? [], { isComplete: event.isTopmost, now });
    },
  });
}

const maxChecked = 1000;
const { type, includeChildren } = NewWebhook.properties;

export function filterRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'POST',
    path: '/api/sales-partners/webhooks/check-filter',
    summary: `Check a filter and count how many of the last ${maxChecked} events match it. Nothing is stored`,
    needs: 'ADMIN',
    body: Type.Object({
      type,
      types: Type.Optional({ ...EventTypesField, description: 'Instead of type: the filter must be valid for all' }),
      includeChildren,
      filter: FilterField,
      salesPartnerId: Type.Optional(Id),
    }),
    response: Type.Object({
      filterText: Type.String({ description: 'The filter as a sentence' }),
      checked: Type.Integer({ description: `Number of checked events, at most ${maxChecked}` }),
      matching: Type.Integer({ description: 'How many of them match' }),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, body }) => {
      const wanted = newTypes(body);
      const filter = checkFilter(body.filter, wanted);
      const { salesPartnerId: callerId = caller.partnerId, includeChildren: children = true } = body;
      await requirePartner(database.pool, caller.partnerId, callerId, unknownReference);
      const events = await readEventRange(database.pool, {
        since: new Date(0),
        until: await databaseNow(database.pool),
      });
      const selection = { callerId, includeChildren: children, types: wanted, events };
      const last = await firstEvents(database.pool, selection, maxChecked);
      const { checked, ids } = await matchingEvents(database.pool, last, filterPath(filter));
      return { filterText: filterText(filter), checked, matching: ids.length };
    },
  });
}
