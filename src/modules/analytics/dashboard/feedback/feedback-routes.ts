import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../../../../http/authenticate.ts';
import { route } from '../../../../http/route.ts';
import type { Services } from '../../../../http/services.ts';
import { groupQuery, previousSpan, readSpan, type Span, spanQuery } from '../../../../values/span.ts';
import { datapointResponse, findDatapointsByIds, repliesOf } from '../../../feedback/index.ts';
import { countScope, readScope, type Scope, type ScopeQuery, scopeQuery } from '../../../locations/index.ts';
import { directoryQuery, readDirectory } from '../directory-query.ts';
import {
  feedbackByPeriod,
  feedbackTotals,
  type ResponseTimes,
  responseTimes,
  responseTimesByPeriod,
} from './feedback-figures.ts';
import {
  CustomerFeedbackResponse,
  FeedbackByPeriodResponse,
  FeedbackKeywordsResponse,
  ResponseTimeResponse,
} from './feedback-response.ts';
import { feedbackSource } from './feedback-source.ts';
import { newestUnread } from './feedback-store.ts';
import { feedbackKeywords } from './keywords/keyword-figures.ts';

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
