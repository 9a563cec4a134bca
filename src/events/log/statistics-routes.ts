import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { databaseNow } from '../../database/database-clock.ts';
import { idParams } from '../../http/ids.ts';
import { periodQuery, readPeriod } from '../../http/period.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { knownWebhook } from './known-webhook.ts';
import { bucketNames, StatisticsAnswer, spanOf, statisticsAnswer } from './statistics.ts';
import { readStatistics } from './statistics-store.ts';

const dayMs = 86_400_000;

export function statisticsRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/sales-partners/webhooks/:id/statistics',
    summary: 'How many tries there were, how they went and how long they took, by time',
    needs: 'ADMIN',
    params: idParams,
    query: Type.Object({
      ...periodQuery,
      bucket: Type.Optional(
        Type.Enum(bucketNames, { description: 'Minutes up to 3 hours, hours up to 7 days, else days, unless given' }),
      ),
    }),
    response: StatisticsAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params, query }) => {
      const now = await databaseNow(database.pool);
      const { id } = await knownWebhook(database.pool, caller.partnerId, params.id);
      const period = readPeriod(query, { until: now, sinceFor: (until) => new Date(until.getTime() - dayMs) });
      const span = spanOf(period, query.bucket, now);
      return statisticsAnswer(span, await readStatistics(database.pool, id, span));
    },
  });
}
