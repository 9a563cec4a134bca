import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import { Id } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { unknownReference } from '../../problems.ts';
import { checkFilter, FilterField, filterPath, filterText } from '../subscriptions/filter.ts';
import { EventTypesField, NewWebhook, newTypes } from '../subscriptions/webhook.ts';
import { partnerField } from '../subscriptions/webhook-routes.ts';
import { reachesPartner } from '../subscriptions/webhook-store.ts';
import { countMatching } from './event-store.ts';
import { readEventRange } from './log-page.ts';

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
      if (!(await reachesPartner(database.pool, caller.partnerId, callerId)))
        throw unknownReference(...partnerField(callerId));
      const events = await readEventRange(database.pool, {
        since: new Date(0),
        until: await databaseNow(database.pool),
      });
      const selection = { callerId, includeChildren: children, types: wanted, events };
      const counted = await countMatching(database.pool, selection, filterPath(filter), maxChecked);
      return { filterText: filterText(filter), ...counted };
    },
  });
}
