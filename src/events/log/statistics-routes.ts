import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import { Id, idParams } from '../../http/ids.ts';
import { periodQuery, readPeriod } from '../../http/period.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { filterNotFound } from '../../problems.ts';
import { listWebhooks, requirePartner, requireWebhook } from '../subscriptions/webhook-store.ts';
import {
  ActivityResponse,
  activityResponse,
  bucketNames,
  lastDay,
  StatisticsResponse,
  spanOf,
  statisticsResponse,
} from './statistics.ts';
import { readActivity, readStatistics } from './statistics-store.ts';

const dayMs = 86_400_000;

export function statisticsRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    reads: 'replica',
    path: '/api/sales-partners/webhooks/:id/statistics',
    summary: 'Attempts, success rate and latency of a webhook over time',
    needs: 'ADMIN',
    params: idParams,
    query: Type.Object({
      ...periodQuery,
      bucket: Type.Optional(
        Type.Enum(bucketNames, {
          description: 'Default: MINUTE for up to 3 hours, HOUR for up to 7 days, otherwise DAY',
        }),
      ),
    }),
    response: StatisticsResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params, query }, sql) => {
      const now = await databaseNow(sql);
      const { id } = await requireWebhook(sql, caller.partnerId, params.id);
      const period = readPeriod(query, { until: now, sinceFor: (until) => new Date(until.getTime() - dayMs) });
      const span = spanOf(period, query.bucket, now);
      return statisticsResponse(span, await readStatistics(sql, id, span));
    },
  });

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
      await requirePartner(database.pool, caller.partnerId, partnerId, filterNotFound);
      const webhooks = await listWebhooks(database.pool, caller.partnerId, { partnerId });
      const period = lastDay(await databaseNow(database.pool));
      const ids = webhooks.map(({ id }) => id);
      return activityResponse(period, await readActivity(database.pool, ids, period.since));
    },
  });
}
