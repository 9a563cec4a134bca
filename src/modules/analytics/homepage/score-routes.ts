import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { numberedPageFields, numberedPageQuery } from '../../../http/numbered-page.ts';
import type { Services } from '../../../http/services.ts';
import { listLocations, readScope, scopeQuery } from '../../locations/index.ts';
import { getAndPost } from './get-and-post.ts';
import { totalsOf } from './home-totals-store.ts';
import { rankedBy, rankLocations, rankOrders } from './location-ranks.ts';
import { ScorePart } from './location-score.ts';
import { averageParts, locationScores } from './location-scores.ts';
import { afterField, placeOf, upToDateField } from './paging.ts';
import { bringUpToDate } from './refresh-homepage.ts';

const Place = {
  locationId: Type.Integer({ examples: [17] }),
  businessId: Type.Integer({ examples: [3] }),
  name: Type.String({ examples: ['Bäckerei Lindner'] }),
  city: Type.String({ examples: ['Köln'] }),
};

export function scoreRoutes(server: FastifyInstance, { database }: Services): void {
  getAndPost(server, {
    path: '/api/home/locations/score',
    summary: 'The score of locations and what it is made of, by location id',
    fields: { ...scopeQuery, ...numberedPageQuery, ...afterField },
    response: Type.Object({
      ...numberedPageFields(
        'locations',
        Type.Object({
          ...Place,
          score: Type.Integer({ description: '0 to 100', examples: [74] }),
          parts: Type.Array(ScorePart),
        }),
      ),
      averageScore: Type.Optional(Type.Number({ description: 'Of all of them; absent when there are none' })),
      ...upToDateField,
    }),
    read: async (caller, given) => {
      const scope = await readScope(database.pool, caller, given);
      const upToDate = await bringUpToDate(database, caller.partnerId, new Date());
      const [totals, scores] = await Promise.all([
        totalsOf(database.pool, scope, null),
        locationScores(database.pool, scope, placeOf(given)),
      ]);
      const places = await placesOf(database.pool, caller.partnerId, scores);
      return {
        page: given.page,
        size: given.size,
        count: totals.locations,
        ...(totals.locations > 0 && { averageScore: rounded(totals.scoreSum / totals.locations) }),
        locations: scores.flatMap(({ locationId, score, parts }) => {
          const place = places.get(locationId);
          return place ? [{ ...place, score, parts }] : [];
        }),
        upToDate,
      };
    },
  });

  getAndPost(server, {
    path: '/api/home/score-parts',
    summary: 'What the average score is made of: where points are lost',
    fields: scopeQuery,
    response: Type.Object({
      parts: Type.Array(ScorePart, {
        description: 'Points are the average; done and of are added up. Empty without locations',
      }),
      ...upToDateField,
    }),
    read: async (caller, given) => {
      const scope = await readScope(database.pool, caller, given);
      const upToDate = await bringUpToDate(database, caller.partnerId, new Date());
      return { parts: await averageParts(database.pool, scope), upToDate };
    },
  });

  getAndPost(server, {
    path: '/api/home/locations/ranks',
    summary: 'Locations in the order of their score, or of another figure',
    fields: {
      ...scopeQuery,
      ...numberedPageQuery,
      rankBy: Type.Enum([...rankedBy], { default: 'SCORE', description: 'Locations without the figure have no rank' }),
      order: Type.Enum([...rankOrders], { default: 'BEST_FIRST' }),
    },
    response: Type.Object({
      ...numberedPageFields(
        'locations',
        Type.Object({
          ...Place,
          rank: Type.Integer({ description: 'The best is 1; equal ones share a rank', examples: [1] }),
          value: Type.Number({ description: 'The figure that they are ranked by', examples: [82] }),
        }),
      ),
      rankBy: Type.Enum([...rankedBy]),
      ...upToDateField,
    }),
    read: async (caller, given) => {
      const scope = await readScope(database.pool, caller, given);
      const upToDate = await bringUpToDate(database, caller.partnerId, new Date());
      const { page, size, rankBy, order } = given;
      const { count, ranked } = await rankLocations(database.pool, scope, rankBy, order, placeOf({ page, size }));
      const places = await placesOf(database.pool, caller.partnerId, ranked);
      return {
        page,
        size,
        count,
        rankBy,
        locations: ranked.flatMap(({ locationId, rank, value }) => {
          const place = places.get(locationId);
          return place ? [{ ...place, rank, value: rounded(value) }] : [];
        }),
        upToDate,
      };
    },
  });
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** What people call the locations of a page. */
async function placesOf(sql: Sql, partnerId: number, page: readonly { locationId: number }[]) {
  const ids = page.map(({ locationId }) => locationId);
  const found = await listLocations(
    sql,
    { partnerId, reach: { businessIds: null, locationIds: null }, filter: { ids } },
    { sort: 'id', descending: false },
    { offset: 0, limit: ids.length },
    new Set(['businessId', 'name', 'city']),
  );
  return new Map(
    found.map(({ id, businessId = 0, name = '', city = '' }) => [id, { locationId: id, businessId, name, city }]),
  );
}
