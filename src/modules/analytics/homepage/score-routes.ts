import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { fullReach } from '../../../http/access.ts';
import { numberedPageFields, numberedPageOf, numberedPageQuery } from '../../../http/pagination.ts';
import type { Services } from '../../../http/services.ts';
import { listLocations } from '../../locations/index.ts';
import { rounded } from '../arithmetic.ts';
import { totalsOf } from './home-location-store.ts';
import { afterField, homeRoute, pageOf } from './home-route.ts';
import { averageParts, locationScores, rankedBy, rankLocations, rankOrders, ScorePart } from './location-score.ts';

const LocationFields = {
  locationId: Type.Integer({ examples: [17] }),
  businessId: Type.Integer({ examples: [3] }),
  name: Type.String({ examples: ['Bäckerei Lindner'] }),
  city: Type.String({ examples: ['Köln'] }),
};

export function scoreRoutes(server: FastifyInstance, { database }: Services): void {
  homeRoute(server, database, {
    path: '/api/home/locations/score',
    summary: 'List the scores of locations with their parts',
    fields: { ...numberedPageQuery, ...afterField },
    response: {
      ...numberedPageFields(
        'locations',
        Type.Object({
          ...LocationFields,
          score: Type.Integer({ description: '0 to 100', examples: [74] }),
          parts: Type.Array(ScorePart),
        }),
      ),
      averageScore: Type.Optional(Type.Number({ description: 'Average of all locations; absent if there are none' })),
    },
    read: async ({ scope }, given) => {
      const [totals, scores] = await Promise.all([
        totalsOf(database.pool, scope, null),
        locationScores(database.pool, scope, pageOf(given)),
      ]);
      const locations = await withLocationFields(database.pool, scope.partnerId, scores);
      return {
        ...numberedPageOf('locations', given, totals.locations, locations),
        ...(totals.locations > 0 && { averageScore: rounded(totals.scoreSum / totals.locations) }),
      };
    },
  });

  homeRoute(server, database, {
    path: '/api/home/score-parts',
    summary: 'Get the parts of the average score',
    response: {
      parts: Type.Array(ScorePart, {
        description: 'points is the average; done and of are sums. Empty if there are no locations',
      }),
    },
    read: async ({ scope }) => ({ parts: await averageParts(database.pool, scope) }),
  });

  homeRoute(server, database, {
    path: '/api/home/locations/ranks',
    summary: 'Rank locations by score or another figure',
    fields: {
      ...numberedPageQuery,
      rankBy: Type.Enum([...rankedBy], {
        default: 'SCORE',
        description: 'Figure to rank by. Locations without a value are omitted',
      }),
      order: Type.Enum([...rankOrders], { default: 'BEST_FIRST' }),
    },
    response: {
      ...numberedPageFields(
        'locations',
        Type.Object({
          ...LocationFields,
          rank: Type.Integer({ description: '1 is the best; equal values share a rank', examples: [1] }),
          value: Type.Number({ description: 'Value of the figure', examples: [82] }),
        }),
      ),
      rankBy: Type.Enum([...rankedBy]),
    },
    read: async ({ scope }, given) => {
      const { rankBy, order } = given;
      const { count, ranked } = await rankLocations(database.pool, scope, rankBy, order, pageOf(given));
      const entries = ranked.map((one) => ({ ...one, value: rounded(one.value) }));
      const locations = await withLocationFields(database.pool, scope.partnerId, entries);
      return { ...numberedPageOf('locations', given, count, locations), rankBy };
    },
  });
}

/** Adds the fields of the locations to the entries of a page. Omits locations that were deleted in the meantime. */
async function withLocationFields<Entry extends { locationId: number }>(
  sql: Sql,
  partnerId: number,
  page: readonly Entry[],
) {
  const ids = page.map(({ locationId }) => locationId);
  const found = await listLocations(
    sql,
    { partnerId, reach: fullReach, filter: { ids } },
    { sort: 'id', descending: false },
    { offset: 0, limit: ids.length },
    new Set(['businessId', 'name', 'city']),
  );
  const fields = new Map(found.map(({ id, businessId = 0, name = '', city = '' }) => [id, { businessId, name, city }]));
  return page.flatMap((entry) => {
    const known = fields.get(entry.locationId);
    return known ? [{ ...entry, ...known }] : [];
  });
}
