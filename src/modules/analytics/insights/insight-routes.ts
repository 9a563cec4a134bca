import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { reaches, reachOf } from '../../../http/access.ts';
import { idParams } from '../../../http/ids.ts';
import { route } from '../../../http/route.ts';
import { notFound } from '../../../problems.ts';
import { readSpanOf } from '../../../values/span.ts';
import { findDirectory } from '../../directories/index.ts';
import { findInsightStatus } from '../../listings/index.ts';
import { readMetrics } from '../dashboard/dashboard-query.ts';
import { readInsights } from './insight-store.ts';

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day such as 2026-11-15' });

export function insightRoutes(server: FastifyInstance): void {
  route(server, {
    method: 'GET',
    reads: 'replica',
    path: '/api/listings/:id/insights',
    summary: 'Get the insights of a listing by day',
    needs: 'DASHBOARD_READ',
    params: idParams,
    query: Type.Object({
      from: Type.Optional(Day),
      to: Type.Optional(Day),
      metrics: Type.Optional(
        Type.Array(Type.String(), { maxItems: 50, description: 'Defaults to all metrics of the directory' }),
      ),
    }),
    response: Type.Object({
      listingId: Type.Integer(),
      directoryType: Type.String(),
      from: Type.String(),
      to: Type.String(),
      availableUntil: Type.Optional(Type.String({ description: 'Last day with data' })),
      metrics: Type.Array(
        Type.Object({
          name: Type.String(),
          data: Type.Array(Type.Object({ period: Type.String(), count: Type.Integer() })),
        }),
      ),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }, sql) => {
      const listing = await findInsightStatus(sql, caller.partnerId, id);
      if (!listing || !reaches(reachOf(caller), listing)) throw notFound(`listing ${id}`);
      const span = readSpanOf({ field: 'from', day: query.from }, { field: 'to', day: query.to }, new Date());
      const type = listing.directoryType;
      const metrics = readMetrics(query.metrics, findDirectory(type) ?? { type, metrics: [] });
      const counts = Map.groupBy(await readInsights(sql, id, { ...span, metrics }), ({ metric }) => metric);
      return {
        listingId: id,
        directoryType: type,
        ...span,
        ...(listing.insightsUntil !== null && { availableUntil: listing.insightsUntil }),
        metrics: metrics.map((name) => ({
          name,
          data: (counts.get(name) ?? []).map(({ day, count }) => ({ period: day, count })),
        })),
      };
    },
  });
}
