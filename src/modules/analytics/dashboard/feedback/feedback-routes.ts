import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../../../../http/authenticate.ts';
import { route } from '../../../../http/route.ts';
import type { Services } from '../../../../http/services.ts';
import { groupQuery, previousSpan, readSpan, type Span, spanQuery } from '../../../../values/span.ts';
import { DatapointResponse, datapointResponse, findDatapointsByIds, repliesOf } from '../../../feedback/index.ts';
import { countScope, readScope, type Scope, type ScopeQuery, scopeQuery } from '../../../locations/index.ts';
import { directoryQuery, readDirectory } from '../directory-query.ts';
import {
  feedbackByPeriod,
  feedbackTotals,
  type ResponseTimes,
  responseTimes,
  responseTimesByPeriod,
} from './feedback-figures.ts';
import { feedbackSource } from './feedback-source.ts';
import { newestUnread } from './feedback-store.ts';
import { feedbackKeywords } from './keywords/keyword-figures.ts';

const count = (description?: string) => Type.Integer(description === undefined ? {} : { description });
const orNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const matchedLocationsCount = count('Number of locations in the figures');
const period = Type.String({ description: 'First day of the period', examples: ['2026-11-01'] });

const CustomerFeedbackResponse = Type.Object({
  countByRating: Type.Array(Type.Object({ rating: Type.Number(), count: count() }), {
    description: 'Ratings 1 to 5 are always present, others only if they occur',
    examples: [[{ rating: 5, count: 120 }]],
  }),
  ratingCount: count('Interactions with a rating'),
  repliedCount: count('Interactions with a reply of the owner'),
  averageRating: orNull('null if there are no ratings'),
  interactionCount: count('Reviews, photos, questions and other datapoints in the period'),
  unreadInteractionCount: count(),
  unreadInteractions: Type.Array(DatapointResponse, {
    maxItems: 10,
    description: 'The ten newest unread interactions',
  }),
  matchedLocationsCount,
});

const FeedbackByPeriodResponse = Type.Object({
  interactionCountByPeriod: Type.Array(Type.Object({ period, count: count() })),
  averageRatingByPeriod: Type.Array(Type.Object({ period, value: orNull('null if there are no ratings') })),
  totalRatingCount: count(),
  matchedLocationsCount,
});

const compared = <Value extends Type.TSchema>(value: Value, description: string) =>
  Type.Object({ current: value, previous: value }, { description });

const FeedbackKeywordsResponse = Type.Object({
  keywords: Type.Array(
    Type.Object({
      keyword: Type.String({ description: 'The most frequent form', examples: ['Brötchen'] }),
      percentage: compared(Type.Number(), 'Percentage of analyzed reviews that contain it'),
      rating: compared(orNull('null if there are no ratings'), 'Average rating of the reviews that contain it'),
      ratingSum: compared(Type.Number(), 'Sum of these ratings'),
      aggregatedWords: Type.Array(Type.String(), { description: 'Forms of the keyword, most frequent first' }),
    }),
    { maxItems: 100, description: 'Most frequent first. previous is the preceding period of the same length' },
  ),
  totalFeedbacksAnalyzed: count('Reviews with text that were analyzed'),
  matchedLocationsCount,
});

const responseTimeSchema = {
  averageHours: orNull('Average time from a review to the first reply of the owner; null if none has a reply'),
  medianHours: orNull('Median, accurate to one percent'),
  p90Hours: orNull('90th percentile, accurate to one percent'),
  respondedCount: count('Reviews with a reply'),
  unrespondedCount: count('Reviews without a reply'),
  responseRate: orNull('Percentage of reviews with a reply; null if there are no reviews'),
};

const ResponseTimeResponse = Type.Object({
  ...responseTimeSchema,
  byPeriod: Type.Array(Type.Object({ period, ...responseTimeSchema }), { description: 'By the date of the review' }),
  previous: Type.Object(responseTimeSchema, { description: 'The preceding period of the same length' }),
  matchedLocationsCount,
});

const maxUnread = 10;
const query = { ...scopeQuery, ...spanQuery, ...directoryQuery };

interface FeedbackQuery extends ScopeQuery {
  startDate?: string;
  endDate?: string;
  type?: string;
}

interface ParsedQuery {
  scope: Scope;
  span: Span;
  filter: { directoryType?: string };
}

export function feedbackRoutes(server: FastifyInstance, { database }: Services): void {
  const sql = database.pool;

  async function read(caller: Caller, parameters: FeedbackQuery): Promise<ParsedQuery> {
    const span = readSpan(parameters, new Date());
    const filter = parameters.type === undefined ? {} : { directoryType: readDirectory(parameters.type).type };
    return { scope: await readScope(sql, caller, parameters), span, filter };
  }

  async function unreadOf({ scope, span, filter }: ParsedQuery) {
    const source = await feedbackSource(sql, scope);
    const ids = await newestUnread(sql, { source, span, ...filter }, maxUnread);
    const [datapoints, replies] = await Promise.all([
      findDatapointsByIds(sql, scope.partnerId, ids),
      repliesOf(sql, ids),
    ]);
    return datapoints.map((datapoint) => datapointResponse(datapoint, replies.get(datapoint.id) ?? []));
  }

  route(server, {
    method: 'GET',
    path: '/api/dashboard/customer-feedback',
    summary: 'Get customer feedback: ratings, replies and unread interactions',
    needs: 'DASHBOARD_READ',
    query: Type.Object(query),
    response: CustomerFeedbackResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query: parameters }) => {
      const parsed = await read(caller, parameters);
      const { scope, span, filter } = parsed;
      const [{ ratingSum, ...totals }, matchedLocationsCount] = await Promise.all([
        feedbackTotals(sql, scope, span, filter),
        countScope(sql, scope),
      ]);
      return {
        ...totals,
        averageRating: averageOf(ratingSum, totals.ratingCount),
        unreadInteractions: totals.unreadInteractionCount > 0 ? await unreadOf(parsed) : [],
        matchedLocationsCount,
      };
    },
  });

  for (const path of [
    '/api/dashboard/customer-feedback/by-period',
    '/api/dashboard/customer-feedback-by-period',
  ] as const) {
    route(server, {
      method: 'GET',
      path,
      summary: 'Get customer feedback by period',
      needs: 'DASHBOARD_READ',
      query: Type.Object({ ...query, ...groupQuery('DAY') }),
      response: FeedbackByPeriodResponse,
      problems: ['NOT_FOUND'],
      handler: async ({ caller, query: parameters }) => {
        const { scope, span, filter } = await read(caller, parameters);
        const [periods, matchedLocationsCount] = await Promise.all([
          feedbackByPeriod(sql, scope, span, parameters.group, filter),
          countScope(sql, scope),
        ]);
        return {
          interactionCountByPeriod: periods.map(({ period, interactionCount: count }) => ({ period, count })),
          averageRatingByPeriod: periods.map(({ period, ratingSum, ratingCount }) => ({
            period,
            value: averageOf(ratingSum, ratingCount),
          })),
          totalRatingCount: periods.reduce((sum, { ratingCount }) => sum + ratingCount, 0),
          matchedLocationsCount,
        };
      },
    });
  }

  for (const path of [
    '/api/dashboard/customer-feedback-keywords',
    '/api/dashboard/customer-feedback/keywords',
  ] as const) {
    route(server, {
      method: 'GET',
      path,
      summary: 'Get the 100 most frequent keywords of reviews',
      needs: 'DASHBOARD_READ',
      query: Type.Object(query),
      response: FeedbackKeywordsResponse,
      problems: ['NOT_FOUND'],
      handler: async ({ caller, query: parameters }) => {
        const { scope, span, filter } = await read(caller, parameters);
        const [found, matchedLocationsCount] = await Promise.all([
          feedbackKeywords(sql, scope, span, filter),
          countScope(sql, scope),
        ]);
        return { ...found, matchedLocationsCount };
      },
    });
  }

  route(server, {
    method: 'GET',
    path: '/api/dashboard/review-response-time',
    summary: 'Get the response times to reviews',
    needs: 'DASHBOARD_READ',
    query: Type.Object({ ...query, ...groupQuery('WEEK') }),
    response: ResponseTimeResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query: parameters }) => {
      const { scope, span, filter } = await read(caller, parameters);
      const [current, previous, matchedLocationsCount] = await Promise.all([
        responseTimesByPeriod(sql, scope, span, parameters.group, filter),
        responseTimes(sql, scope, previousSpan(span), filter),
        countScope(sql, scope),
      ]);
      return {
        ...responseTimeFields(current),
        byPeriod: current.byPeriod.map((one) => ({ period: one.period, ...responseTimeFields(one) })),
        previous: responseTimeFields(previous),
        matchedLocationsCount,
      };
    },
  });
}

function responseTimeFields({
  averageHours,
  medianHours,
  p90Hours,
  respondedCount,
  unrespondedCount,
  responseRate: share,
}: ResponseTimes) {
  const responseRate = share === null ? null : Math.round(10_000 * share) / 100;
  return { averageHours, medianHours, p90Hours, respondedCount, unrespondedCount, responseRate };
}

const averageOf = (sum: number, count: number) => (count > 0 ? Math.round((sum / count) * 100) / 100 : null);
