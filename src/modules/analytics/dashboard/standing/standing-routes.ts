import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { Id } from '../../../../http/ids.ts';
import { route } from '../../../../http/route.ts';
import type { Services } from '../../../../http/services.ts';
import { groupQuery, readSpan, spanQuery } from '../../../../values/span.ts';
import { classifications, countScope, readScope, scopeQuery } from '../../../locations/index.ts';
import { directoryOf, directoryQuery } from '../directory-query.ts';
import {
  type ListingHealth,
  listingHealth,
  profileCompleteness,
  suppressedDuplicates,
  visibilityIndex,
} from './standing-figures.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const ListingHealthAnswer = Type.Object({
  countFieldsInSync: count('Always 0 since _20210729'),
  countListingsInSync: count('Listings that show what the location has (syncStatus IN_SYNC)'),
  countListingsSubmitted: count('Listings whose directory has everything (flowStatus ALL_INFORMATION_SUBMITTED)'),
  countListingsBeingUpdated: count(
    'Listings with an update to come or under way (SUBMISSION_NEEDED, WAITING_DIRECTORY_ACTION)',
  ),
  countListingsLinked: count('Listings that point to a page on the directory'),
  countListingsActionRequired: count('Listings that somebody has to look at (WAITING_USER_ACTION, NEEDS_REVIEW)'),
  countLocationsRequireSync: count('Locations that were never synced, or changed since and have no autoSync'),
  countLocationsNeedsReview: count('Locations with the status NEEDS_REVIEW'),
  directoriesMissingConnect: Type.Array(Type.String(), {
    description: 'Directories that need an account which is not connected for at least one of the locations',
    examples: [['GOOGLE', 'FACEBOOK']],
  }),
});

const points = {
  score: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, description: 'Absent while nothing could be compared', examples: [87] }),
  ),
  maxPoints: count('What the fields that can be compared could bring, by the weight of their directories'),
  pointsReached: count('What the fields that match bring'),
};

/** How listings and locations stand now, and how it came to that. */
export function standingRoutes(server: FastifyInstance, { database }: Services): void {
  const healthFor = (health: ListingHealth, counted: boolean) => ({
    ...health,
    countFieldsInSync: counted ? health.countFieldsInSync : 0,
  });

  route(server, {
    method: 'GET',
    path: '/api/dashboard/listing-health',
    summary: 'How the listings of all locations, or of some, stand',
    needs: 'DASHBOARD_READ',
    query: Type.Object({ ...scopeQuery, ...directoryQuery }),
    response: ListingHealthAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query, grants }) => {
      const directoryTypes = directoryOf(query);
      const scope = await readScope(database.pool, caller, query);
      const health = await listingHealth(database.pool, scope, { ...(directoryTypes && { directoryTypes }) });
      return healthFor(health, grants.has('FIELDS_IN_SYNC_COUNTED'));
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/dashboard/listing-health/:locationId',
    summary: 'How the listings of a location stand',
    needs: 'DASHBOARD_READ',
    params: Type.Object({ locationId: Id }),
    response: ListingHealthAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { locationId }, grants }) => {
      const scope = await readScope(database.pool, caller, { locationIds: [locationId] });
      return healthFor(await listingHealth(database.pool, scope), grants.has('FIELDS_IN_SYNC_COUNTED'));
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/dashboard/profile-completeness',
    summary: 'How complete the profiles of locations are',
    needs: 'DASHBOARD_READ',
    query: Type.Object(scopeQuery),
    response: Type.Object({
      averageProfileCompleteness: Type.Optional(
        Type.Number({ minimum: 0, maximum: 100, description: 'Percent; absent without locations', examples: [72.5] }),
      ),
      locationClassificationCounts: Type.Object(
        Object.fromEntries(classifications.map((level) => [level, count(`First level that is not full: ${level}`)])),
      ),
      matchedLocationsCount: count('How many locations these are'),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      const scope = await readScope(database.pool, caller, query);
      const { locationsCount, ...figures } = await profileCompleteness(database.pool, scope);
      return { ...figures, matchedLocationsCount: locationsCount };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/dashboard/visibility-index',
    summary: 'How much of what directories could show right they show right, and since when',
    needs: 'DASHBOARD_READ',
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
            'At the end of each period, of the locations of today; without periods before anything was compared',
        },
      ),
      matchedLocationsCount: count('How many locations these are'),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      const span = readSpan(query, new Date());
      const directoryTypes = directoryOf(query);
      const scope = await readScope(database.pool, caller, query);
      const only = { ...(directoryTypes && { directoryTypes }) };
      const index = await visibilityIndex(database.pool, scope, span, query.group, only);
      return { ...index, matchedLocationsCount: await countScope(database.pool, scope) };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/dashboard/suppressed-duplicates',
    summary: 'Duplicate pages that directories were asked to take away',
    needs: 'DASHBOARD_READ',
    query: Type.Object({ ...scopeQuery, ...directoryQuery }),
    response: Type.Object({
      totalCount: count('All of them'),
      countByDirectory: Type.Array(
        Type.Object({ directoryType: Type.String({ examples: ['GOOGLE'] }), count: count('On this directory') }),
      ),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      const directoryTypes = directoryOf(query);
      const scope = await readScope(database.pool, caller, query);
      return suppressedDuplicates(database.pool, scope, { ...(directoryTypes && { directoryTypes }) });
    },
  });
}
