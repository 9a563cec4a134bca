import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import { Id } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { filterNotFound } from '../../problems.ts';
import { listWebhooks, reachesPartner } from '../subscriptions/webhook-store.ts';
import { ActivityResponse, activityResponse, lastDay } from './activity.ts';
import { readActivity } from './activity-store.ts';

export function activityRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/activity',
    summary:
      'Activity of each webhook of a partner in the last 24 hours: attempts per hour, waiting deliveries and the last delivery',
    needs: 'ADMIN',
    query: Type.Object({ salesPartnerId: Type.Optional(Id) }),
    response: ActivityResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query: { salesPartnerId: partnerId = caller.partnerId } }) => {
      if (!(await reachesPartner(database.pool, caller.partnerId, partnerId))) {
        throw filterNotFound('salesPartnerId', `sales partner ${partnerId}`);
      }
      const webhooks = await listWebhooks(database.pool, caller.partnerId, { partnerId });
      const period = lastDay(await databaseNow(database.pool));
      const ids = webhooks.map(({ id }) => id);
      return activityResponse(period, await readActivity(database.pool, ids, period.since));
    },
  });
}
