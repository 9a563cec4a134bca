import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { groupQuery, readSpan, type Span, spanQuery } from '../../../../values/span.ts';
import type { Directory } from '../../../directories/index.ts';
import { sumOf } from '../../arithmetic.ts';
import { directoryQuery, oneDirectoryQuery, readDirectories, readDirectory, readMetrics } from '../dashboard-query.ts';
import { count, figuresRoute, Period, unusedGroup, unusedSpan } from '../dashboard-route.ts';
import { countedPart, dataAvailability } from './data-availability.ts';
import { insightsByPeriod, monthsOf, precedingMonths } from './insight-figures.ts';
import { insightWarnings, maxLocations } from './insight-warnings.ts';
import { searchKeywords } from './search-keyword-figures.ts';

const hasInsights = ({ supports }: Directory) => supports.insights;
const hasKeywords = ({ supports }: Directory) => supports.searchKeywords;

const locationIds = (description: string) => Type.Array(Type.Integer(), { maxItems: maxLocations, description });
const compared = (description: string) =>
  Type.Object(
    { current: count('In the requested months'), previous: count('In the preceding months') },
    { description },
  );

const Days = { startDate: Type.String(), endDate: Type.String() };
const daysOf = ({ from, to }: Span) => ({ startDate: from, endDate: to });

/** Views, clicks and searches reported by directories. */
export function insightsDataRoutes(server: FastifyInstance): void {
  figuresRoute(server, {
    path: '/api/dashboard/insights-data',
    summary: 'Get insights of a directory by period',
    query: {
      ...oneDirectoryQuery,
      ...spanQuery,
      ...groupQuery('DAY'),
      metrics: Type.Optional(
        Type.Array(Type.String({ maxLength: 100 }), {
          maxItems: 50,
          description: 'Defaults to all metrics of the directory, see GET /api/directories/{type}',
          examples: [['CALL_CLICKS', 'WEBSITE_CLICKS']],
        }),
      ),
    },
    response: Type.Object({
      metrics: Type.Array(
        Type.Object({
          name: Type.String({ examples: ['CALL_CLICKS'] }),
          data: Type.Array(Type.Object({ period: Period, count: count('Count in the period') })),
        }),
      ),
    }),
    countsLocations: true,
    read: ({ query }) => {
      const directory = readDirectory(query.type, hasInsights);
      const metrics = readMetrics(query.metrics, directory);
      const span = readSpan(query, new Date());
      const selection = { directoryType: directory.type, metrics };
      return async (sql, scope) => {
        const counted = await insightsByPeriod(sql, scope, span, query.group, selection);
        const byMetric = Map.groupBy(counted, ({ metric }) => metric);
        return {
          metrics: metrics.map((name) => ({
            name,
            data: (byMetric.get(name) ?? []).map(({ period, count: times }) => ({ period, count: times })),
          })),
        };
      };
    },
  });

  figuresRoute(server, {
    path: '/api/dashboard/insights-data/warnings',
    summary: 'List reasons for missing insights',
    query: { ...directoryQuery, ...unusedSpan },
    response: Type.Object({
      warnings: Type.Object({
        missingConnection: count('Listings without the account that the directory requires'),
        missingPermission: count('Connected listings that are not claimed by you'),
      }),
      byDirectory: Type.Array(
        Type.Object({
          directoryType: Type.String({ examples: ['GOOGLE'] }),
          connected: count('Listings with a connected account, or on a directory without accounts'),
          notConnected: count('Listings without the required account'),
          missingPermission: count('Connected listings that are not claimed by you'),
        }),
      ),
      connectedLocations: locationIds(`Ids of the first ${maxLocations}`),
      notConnectedLocations: locationIds(`Ids of the first ${maxLocations}`),
      missingPermissionLocations: locationIds(`Ids of the first ${maxLocations}`),
    }),
    read: ({ query }) => {
      const directories = readDirectories(query.type, hasInsights);
      return async (sql, scope) => {
        const { byDirectory, locations } = await insightWarnings(sql, scope, directories);
        return {
          warnings: {
            missingConnection: sumOf(byDirectory, ({ notConnected }) => notConnected),
            missingPermission: sumOf(byDirectory, ({ missingPermission }) => missingPermission),
          },
          byDirectory,
          connectedLocations: locations.CONNECTED,
          notConnectedLocations: locations.NOT_CONNECTED,
          missingPermissionLocations: locations.NOT_PERMITTED,
        };
      };
    },
  });

  figuresRoute(server, {
    path: '/api/dashboard/data-availability',
    summary: 'Get the period for which each directory has data',
    query: { ...directoryQuery, ...spanQuery, ...unusedGroup },
    response: Type.Object({
      availableUntil: Type.Optional(
        Type.String({
          description: 'Last day with data of any directory; absent if there is none',
          examples: ['2026-11-13'],
        }),
      ),
      byDirectory: Type.Array(
        Type.Object({
          directoryType: Type.String(),
          availableFrom: Type.String({ description: 'First day with data of at least one location' }),
          availableUntil: Type.String({ description: 'Last day with data of at least one location' }),
          countedUntil: Type.String({
            description:
              'Last day with data of at least 90 percent of the listings that have data on the three days before',
          }),
          counted: Type.Optional(
            Type.Object(Days, { description: 'Days of the span with data; absent if there are none' }),
          ),
          compared: Type.Optional(
            Type.Object(Days, {
              description: 'The preceding days to compare with; absent if the directory started later',
            }),
          ),
        }),
      ),
    }),
    read: ({ query }) => {
      const types = readDirectories(query.type, hasInsights).map(({ type }) => type);
      const span = readSpan(query, new Date());
      return async (sql, scope) => {
        const available = await dataAvailability(sql, scope, types);
        const byDirectory = available.map((one) => {
          const part = countedPart(span, one);
          return {
            ...one,
            ...(part && { counted: daysOf(part.span) }),
            ...(part?.before && { compared: daysOf(part.before) }),
          };
        });
        const [last] = byDirectory
          .map(({ availableUntil }) => availableUntil)
          .sort()
          .reverse();
        return { ...(last !== undefined && { availableUntil: last }), byDirectory };
      };
    },
  });

  figuresRoute(server, {
    path: '/api/dashboard/search-keywords',
    summary: 'List the search keywords that led to the locations',
    query: {
      ...directoryQuery,
      ...spanQuery,
      ...unusedGroup,
      max: Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 100,
        description: 'Maximum number of keywords, by impressions',
      }),
    },
    response: Type.Object({
      keywords: Type.Array(
        Type.Object({
          keyword: Type.String({ examples: ['bakery near me'] }),
          impressions: compared('Impressions of the locations for the keyword'),
          locationsCount: count('Locations shown for the keyword, in the month with the most'),
        }),
      ),
      keywordsCount: count('Total number of keywords'),
      totalImpressions: compared('Impressions of all keywords'),
      months: Type.Array(Type.String({ examples: ['2026-11'] }), {
        description: 'Months that contain a day from startDate to endDate. Directories report keywords by month',
      }),
    }),
    countsLocations: true,
    read: ({ query }) => {
      if (query.type !== undefined) readDirectory(query.type, hasKeywords);
      const months = monthsOf(readSpan(query, new Date()));
      const selection = { months, previousMonths: precedingMonths(months), limit: query.max };
      return async (sql, scope) => {
        const { keywords, keywordsCount, current, previous } = await searchKeywords(sql, scope, selection);
        return {
          keywords: keywords.map((one) => ({
            keyword: one.keyword,
            impressions: { current: one.current, previous: one.previous },
            locationsCount: one.locations,
          })),
          keywordsCount,
          totalImpressions: { current, previous },
          months: months.map((month) => month.slice(0, 7)),
        };
      };
    },
  });
}
