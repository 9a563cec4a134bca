import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../../database/connection.ts';
import { Id } from '../../../../http/ids.ts';
import { route } from '../../../../http/route.ts';
import { notFound } from '../../../../problems.ts';
import { groupQuery, readSpan, spanQuery } from '../../../../values/span.ts';
import { actionRequiredFlows } from '../../../listings/index.ts';
import { classifications, countScope, readScope, type Scope, scopeQuery } from '../../../locations/index.ts';
import {
  count,
  directoryQuery,
  directoryTypesOf,
  figuresRoute,
  matchedLocationsCount,
  unusedDirectory,
  unusedSpan,
  warnOfUnused,
} from '../dashboard-query.ts';
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

export function healthRoutes(server: FastifyInstance): void {
  const healthOf = async (
    sql: Sql,
    scope: Scope,
    grants: FastifyRequest['grants'],
    directoryTypes?: readonly string[],
  ) => {
    const health = await listingHealth(sql, scope, directoryTypes);
    return grants.has('FIELDS_IN_SYNC_COUNTED') ? health : { ...health, countFieldsInSync: 0 };
  };

  route(server, {
    ...figuresRoute,
    path: '/api/dashboard/listing-health',
    summary: 'Get the health of listings',
    query: Type.Object({ ...scopeQuery, ...directoryQuery, ...unusedSpan }),
    response: ListingHealthResponse,
    handler: async (request, sql) => {
      const { caller, query, grants } = request;
      warnOfUnused(request, unusedSpan);
      const types = directoryTypesOf(query);
      return healthOf(sql, await readScope(sql, caller, query), grants, types);
    },
  });

  route(server, {
    ...figuresRoute,
    path: '/api/dashboard/listing-health/:locationId',
    summary: 'Get the health of the listings of a location',
    params: Type.Object({ locationId: Id }),
    query: Type.Object({ ...scopeQuery, ...directoryQuery, ...unusedSpan }),
    response: ListingHealthResponse,
    handler: async (request, sql) => {
      const { caller, params, query, grants } = request;
      warnOfUnused(request, { ...scopeQuery, ...unusedSpan });
      const types = directoryTypesOf(query);
      const scope = await readScope(sql, caller, { locationIds: [params.locationId] }, (_, what) => notFound(what));
      return healthOf(sql, scope, grants, types);
    },
  });

  route(server, {
    ...figuresRoute,
    path: '/api/dashboard/profile-completeness',
    summary: 'Get the profile completeness of locations',
    query: Type.Object({ ...scopeQuery, ...unusedDirectory, ...unusedSpan }),
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
    handler: async (request, sql) => {
      const { caller, query } = request;
      warnOfUnused(request, { ...unusedDirectory, ...unusedSpan });
      const scope = await readScope(sql, caller, query);
      const { locationsCount, ...figures } = await profileCompleteness(sql, scope);
      return { ...figures, matchedLocationsCount: locationsCount };
    },
  });

  route(server, {
    ...figuresRoute,
    path: '/api/dashboard/visibility-index',
    summary: 'Get the visibility index: share of listing fields that are correct across directories',
    query: Type.Object({ ...scopeQuery, ...directoryQuery, ...spanQuery, ...groupQuery('DAY') }),
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
      matchedLocationsCount,
    }),
    handler: async ({ caller, query }, sql) => {
      const span = readSpan(query, new Date());
      const types = directoryTypesOf(query);
      const scope = await readScope(sql, caller, query);
      const index = await visibilityIndex(sql, scope, span, query.group, types);
      return { ...index, matchedLocationsCount: await countScope(sql, scope) };
    },
  });

  route(server, {
    ...figuresRoute,
    path: '/api/dashboard/suppressed-duplicates',
    summary: 'Count the duplicates that directories were asked to remove',
    query: Type.Object({ ...scopeQuery, ...directoryQuery, ...unusedSpan }),
    response: Type.Object({
      totalCount: count('Total number'),
      countByDirectory: Type.Array(
        Type.Object({ directoryType: Type.String({ examples: ['GOOGLE'] }), count: count('Number on this directory') }),
      ),
    }),
    handler: async (request, sql) => {
      const { caller, query } = request;
      warnOfUnused(request, unusedSpan);
      const types = directoryTypesOf(query);
      return suppressedDuplicates(sql, await readScope(sql, caller, query), types);
    },
  });
}
