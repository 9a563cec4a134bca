import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../../../http/route.ts';
import type { Services } from '../../../../http/services.ts';
import { groupQuery, readSpan, type Span, spanQuery } from '../../../../values/span.ts';
import { type Directory, directoryList } from '../../../directories/index.ts';
import { countScope, readScope, scopeQuery } from '../../../locations/index.ts';
import { readMetrics } from '../../insights/metrics.ts';
import { directoryQuery, oneDirectoryQuery, readDirectory } from '../directory-query.ts';
import { countedPart } from './counted-days.ts';
import { dataAvailability } from './data-availability.ts';
import { insightsByPeriod } from './insight-figures.ts';
import { monthsBefore, monthsOf } from './insight-periods.ts';
import { insightWarnings, mostLocations } from './insight-warnings.ts';
import { searchKeywords } from './search-keyword-figures.ts';

const hasInsights = ({ supports }: Directory) => supports.insights;
const hasKeywords = ({ supports }: Directory) => supports.searchKeywords;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const Period = Type.String({ description: 'Its first day', examples: ['2026-11-01'] });
const locationIds = (description: string) => Type.Array(Type.Integer(), { maxItems: mostLocations, description });
const compared = (description: string) =>
  Type.Object({ current: count('In these months'), previous: count('In as many months before') }, { description });

const Days = { startDate: Type.String(), endDate: Type.String() };
const daysOf = ({ from, to }: Span) => ({ startDate: from, endDate: to });

/** What directories counted: how often locations were seen, clicked and searched for. */
export function insightsDataRoutes(server: FastifyInstance, { database }: Services): void {
  const matchedLocationsCount = count('How many locations these are');

  route(server, {
    method: 'GET',
    path: '/api/dashboard/insights-data',
    summary: 'What a directory counted, by periods',
    needs: 'DASHBOARD_READ',
    query: Type.Object({
      ...scopeQuery,
      ...oneDirectoryQuery,
      ...spanQuery,
      ...groupQuery('DAY'),
      metrics: Type.Optional(
        Type.Array(Type.String({ maxLength: 100 }), {
          maxItems: 50,
          description: 'All of the directory unless given; see GET /api/directories/{type}',
          examples: [['CALL_CLICKS', 'WEBSITE_CLICKS']],
        }),
      ),
    }),
    response: Type.Object({
      metrics: Type.Array(
        Type.Object({
          name: Type.String({ examples: ['CALL_CLICKS'] }),
          data: Type.Array(Type.Object({ period: Period, count: count('How often') })),
        }),
      ),
      matchedLocationsCount,
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      const directory = readDirectory(query.type, hasInsights);
      const metrics = readMetrics(query.metrics, directory);
      const span = readSpan(query, new Date());
      const scope = await readScope(database.pool, caller, query);
      const asked = { directoryType: directory.type, metrics };
      const counted = await insightsByPeriod(database.pool, scope, span, query.group, asked);
      const byMetric = Map.groupBy(counted, ({ metric }) => metric);
      return {
        metrics: metrics.map((name) => ({
          name,
          data: (byMetric.get(name) ?? []).map(({ period, count: times }) => ({ period, count: times })),
        })),
        matchedLocationsCount: await countScope(database.pool, scope),
      };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/dashboard/insights-data/warnings',
    summary: 'Why insights may be missing',
    needs: 'DASHBOARD_READ',
    query: Type.Object({ ...scopeQuery, ...directoryQuery }),
    response: Type.Object({
      warnings: Type.Object({
        missingConnection: count('Listings whose directory needs an account and has none'),
        missingPermission: count('Listings that are connected, but whose page is not ours'),
      }),
      byDirectory: Type.Array(
        Type.Object({
          directoryType: Type.String({ examples: ['GOOGLE'] }),
          connected: count('Listings with an account, or that need none'),
          notConnected: count('Listings without the account that they need'),
          missingPermission: count('Connected ones whose page is not ours'),
        }),
      ),
      connectedLocations: locationIds(`Ids of the first ${mostLocations}`),
      notConnectedLocations: locationIds(`Ids of the first ${mostLocations}`),
      missingPermissionLocations: locationIds(`Ids of the first ${mostLocations}`),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      const directories =
        query.type === undefined ? directoryList.filter(hasInsights) : [readDirectory(query.type, hasInsights)];
      const scope = await readScope(database.pool, caller, query);
      const { byDirectory, locations } = await insightWarnings(database.pool, scope, directories);
      return {
        warnings: {
          missingConnection: byDirectory.reduce((sum, { notConnected }) => sum + notConnected, 0),
          missingPermission: byDirectory.reduce((sum, { missingPermission }) => sum + missingPermission, 0),
        },
        byDirectory,
        connectedLocations: locations.CONNECTED,
        notConnectedLocations: locations.NOT_CONNECTED,
        missingPermissionLocations: locations.NOT_PERMITTED,
      };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/dashboard/data-availability',
    summary: 'From when and until when directories have counted',
    needs: 'DASHBOARD_READ',
    query: Type.Object({ ...scopeQuery, ...directoryQuery, ...spanQuery }),
    response: Type.Object({
      availableUntil: Type.Optional(
        Type.String({ description: 'The last day of all; absent while nothing was counted', examples: ['2026-11-13'] }),
      ),
      byDirectory: Type.Array(
        Type.Object({
          directoryType: Type.String(),
          availableFrom: Type.String({ description: 'The first day that is counted for at least one location' }),
          availableUntil: Type.String({ description: 'The last day that is counted for at least one location' }),
          countedUntil: Type.String({
            description: 'The last day that is counted for as many listings as the three days before it (90 percent)',
          }),
          counted: Type.Optional(
            Type.Object(Days, { description: 'The days of the span that are counted; absent when none is' }),
          ),
          compared: Type.Optional(
            Type.Object(Days, { description: 'As many days before; absent when the directory counted later' }),
          ),
        }),
      ),
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      const types =
        query.type === undefined ? directoryList.filter(hasInsights) : [readDirectory(query.type, hasInsights)];
      const scope = await readScope(database.pool, caller, query);
      const span = readSpan(query, new Date());
      const available = await dataAvailability(
        database.pool,
        scope,
        types.map(({ type }) => type),
      );
      const byDirectory = available.map((one) => {
        const part = countedPart(span, one);
        return {
          ...one,
          ...(part && { counted: daysOf(part.span) }),
          ...(part?.before && { compared: daysOf(part.before) }),
        };
      });
      const last = byDirectory
        .map(({ availableUntil }) => availableUntil)
        .sort()
        .at(-1);
      return { ...(last !== undefined && { availableUntil: last }), byDirectory };
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/dashboard/search-keywords',
    summary: 'What people searched for when they found the locations',
    needs: 'DASHBOARD_READ',
    query: Type.Object({
      ...scopeQuery,
      ...directoryQuery,
      ...spanQuery,
      max: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'The ones with the most impressions' }),
    }),
    response: Type.Object({
      keywords: Type.Array(
        Type.Object({
          keyword: Type.String({ examples: ['bakery near me'] }),
          impressions: compared('How often the locations were shown for it'),
          locationsCount: count('Locations that were shown for it, in the month with the most'),
        }),
      ),
      keywordsCount: count('How many there are in all'),
      totalImpressions: compared('For all words together'),
      months: Type.Array(Type.String({ examples: ['2026-11'] }), {
        description:
          'Directories tell search words by month: these are all months with a day from startDate to endDate',
      }),
      matchedLocationsCount,
    }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query }) => {
      if (query.type !== undefined) readDirectory(query.type, hasKeywords);
      const months = monthsOf(readSpan(query, new Date()));
      const scope = await readScope(database.pool, caller, query);
      const asked = { months, previousMonths: monthsBefore(months), limit: query.max };
      const { keywords, keywordsCount, current, previous } = await searchKeywords(database.pool, scope, asked);
      return {
        keywords: keywords.map((one) => ({
          keyword: one.keyword,
          impressions: { current: one.current, previous: one.previous },
          locationsCount: one.locations,
        })),
        keywordsCount,
        totalImpressions: { current, previous },
        months: months.map((month) => month.slice(0, 7)),
        matchedLocationsCount: await countScope(database.pool, scope),
      };
    },
  });
}
