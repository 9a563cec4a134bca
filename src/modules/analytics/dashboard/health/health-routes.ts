import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../../database/connection.ts';
import { Id } from '../../../../http/ids.ts';
import { route } from '../../../../http/route.ts';
import { notFound } from '../../../../problems.ts';
import { groupQuery, readSpan, spanQuery } from '../../../../values/span.ts';
import { actionRequiredFlows } from '../../../listings/index.ts';
import { classifications, readScope, type Scope, scopeQuery } from '../../../locations/index.ts';
import { directoryQuery, directoryTypesOf } from '../dashboard-query.ts';
import {
  count,
  figuresAccess,
  figuresRoute,
  matchedLocationsCount,
  unusedDirectory,
  unusedSpan,
  warnOfUnused,
} from '../dashboard-route.ts';
import { listingHealth, profileCompleteness, suppressedDuplicates, visibilityIndex } from './health-figures.ts';

export const ListingHealthResponse = Type.Object({
  countFieldsInSync: count('Always 0 since _20210729'),
  countListingsInSync: count('Listings that match the location (syncStatus IN_SYNC)'),
  countListingsSubmitted: count('Listings whose data was submitted completely (flowStatus ALL_INFORMATION_SUBMITTED)'),
  countListingsBeingUpdated: count('Listings with a pending update (SUBMISSION_NEEDED, WAITING_DIRECTORY_ACTION)'),
  countListingsLinked: count('Listings that are linked to a listing on the directory'),
  countListingsActionRequired: count(`Listings that require an action (${actionRequiredFlows.join(', ')})`),
  countLocationsRequireSync: count('Locations that were never synced, or were changed since without autoSync'),
  countLocationsNeedsReview: count('Locations with the status NEEDS_REVIEW'),
  directoriesMissingConnect: Type.Array(Type.String(), {
    description: 'Directories whose required account is not connected for at least one location',
    examples: [['GOOGLE', 'FACEBOOK']],
  }),
});

const points = {
  score: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, description: 'Absent if nothing could be compared', examples: [87] }),
  ),
  maxPoints: count('Maximum points: comparable fields, weighted by directory'),
  pointsReached: count('Points of the matching fields'),
};

const healthQuery = { ...directoryQuery, ...unusedSpan };

type HealthRequest = Pick<FastifyRequest, 'grants'> & { query: { type?: string } };

function healthOf({ query, grants }: HealthRequest) {
  const types = directoryTypesOf(query);
  return async (sql: Sql, scope: Scope) => {
    const health = await listingHealth(sql, scope, types);
    return grants.has('FIELDS_IN_SYNC_COUNTED') ? health : { ...health, countFieldsInSync: 0 };
  };
}

export function healthRoutes(server: FastifyInstance): void {
  figuresRoute(server, {
    path: '/api/dashboard/listing-health',
    summary: 'Get the health of listings',
    query: healthQuery,
    response: ListingHealthResponse,
    read: healthOf,
  });

  route(server, {
    ...figuresAccess,
    path: '/api/dashboard/listing-health/:locationId',
    summary: 'Get the health of the listings of a location',
    params: Type.Object({ locationId: Id }),
    query: Type.Object({ ...scopeQuery, ...healthQuery }),
    response: ListingHealthResponse,
    handler: async (request, sql) => {
      warnOfUnused(request, Object.keys({ ...scopeQuery, ...unusedSpan }));
      const readHealth = healthOf(request);
      const locationIds = [request.params.locationId];
      const scope = await readScope(sql, request.caller, { locationIds }, (_, record) => notFound(record));
      return readHealth(sql, scope);
    },
  });

  figuresRoute(server, {
    path: '/api/dashboard/profile-completeness',
    summary: 'Get the profile completeness of locations',
    query: { ...unusedDirectory, ...unusedSpan },
    response: Type.Object({
      averageProfileCompleteness: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 100,
          description: 'Percentage; absent if there are no locations',
          examples: [72.5],
        }),
      ),
      locationClassificationCounts: Type.Object(
        Object.fromEntries(
          classifications.map((level) => [level, count(`Locations whose first incomplete level is ${level}`)]),
        ),
      ),
      matchedLocationsCount,
    }),
    read: () => async (sql, scope) => {
      const { locationsCount, ...figures } = await profileCompleteness(sql, scope);
      return { ...figures, matchedLocationsCount: locationsCount };
    },
  });

  figuresRoute(server, {
    path: '/api/dashboard/visibility-index',
    summary: 'Get the visibility index: share of listing fields that are correct across directories',
    query: { ...directoryQuery, ...spanQuery, ...groupQuery('DAY') },
    response: Type.Object({
      ...points,
      byDirectory: Type.Array(Type.Object({ directoryType: Type.String(), ...points })),
      history: Type.Array(
        Type.Object({
          period: Type.String({ examples: ['2026-11-01'] }),
          score: Type.Integer({ minimum: 0, maximum: 100 }),
        }),
        {
          description:
            'Score at the end of each period, for the current locations. Periods before the first comparison are omitted',
        },
      ),
    }),
    countsLocations: true,
    read: ({ query }) => {
      const [span, types] = [readSpan(query, new Date()), directoryTypesOf(query)];
      return (sql, scope) => visibilityIndex(sql, scope, span, query.group, types);
    },
  });

  figuresRoute(server, {
    path: '/api/dashboard/suppressed-duplicates',
    summary: 'Count the duplicates that directories were asked to remove',
    query: healthQuery,
    response: Type.Object({
      totalCount: count('Total number'),
      countByDirectory: Type.Array(
        Type.Object({ directoryType: Type.String({ examples: ['GOOGLE'] }), count: count('Number on this directory') }),
      ),
    }),
    read: ({ query }) => {
      const types = directoryTypesOf(query);
      return (sql, scope) => suppressedDuplicates(sql, scope, types);
    },
  });
}
