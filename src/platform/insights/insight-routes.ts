import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { reaches, reachOf } from '../../http/access.ts';
import { idParams } from '../../http/ids.ts';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { invalidField, notFound } from '../../problems.ts';
import { dayOf, daysAfter } from '../days.ts';
import { findDirectory } from '../directories/directory-list.ts';
import { findListingStanding } from '../listings/listing-progress.ts';
import { readInsights } from './insight-store.ts';
import { readMetrics } from './metrics.ts';

const mostDays = 731;
const usualDays = 30;

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day such as 2026-11-15' });

export function insightRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/listings/:id/insights',
    summary: 'How often a listing was seen and used, by day',
    needs: 'DASHBOARD_READ',
    params: idParams,
    query: Type.Object({
      from: Type.Optional(Day),
      to: Type.Optional(Day),
      metrics: Type.Optional(
        Type.Array(Type.String(), { maxItems: 50, description: 'All of the directory unless given' }),
      ),
    }),
    response: Type.Object({
      listingId: Type.Integer(),
      directoryType: Type.String(),
      from: Type.String(),
      to: Type.String(),
      availableUntil: Type.Optional(Type.String({ description: 'The last day that the directory has answered for' })),
      metrics: Type.Array(
        Type.Object({
          name: Type.String(),
          data: Type.Array(Type.Object({ period: Type.String(), count: Type.Integer() })),
        }),
      ),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id }, query }) => {
      const listing = await findListingStanding(database.pool, caller.partnerId, id);
      if (!listing || !reaches(reachOf(caller), listing)) throw notFound(`listing ${id}`);
      const span = readSpan(query, new Date());
      const type = listing.directoryType;
      const metrics = readMetrics(query.metrics, findDirectory(type) ?? { type, metrics: [] });
      const counts = Map.groupBy(await readInsights(database.pool, id, { ...span, metrics }), ({ metric }) => metric);
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

function readSpan({ from, to }: { from?: string; to?: string }, now: Date): { from: string; to: string } {
  const last = to === undefined ? daysAfter(dayOf(now), -1) : realDay('to', to);
  const first = from === undefined ? daysAfter(last, 1 - usualDays) : realDay('from', from);
  if (first > last) throw invalidField('from', 'order', `from (${first}) must not be later than to (${last}).`);
  if (daysAfter(first, mostDays) <= last) {
    throw invalidField('from', 'maximum', `from and to may be ${mostDays} days apart at most.`);
  }
  return { from: first, to: last };
}

function realDay(field: string, day: string): string {
  const moment = new Date(`${day}T00:00:00Z`);
  if (!Number.isNaN(moment.getTime()) && dayOf(moment) === day) return day;
  throw invalidField(field, 'day', `${field} must be a day such as 2026-11-15.`);
}
