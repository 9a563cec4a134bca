import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../../../../http/authenticate.ts';
import { route } from '../../../../http/route.ts';
import type { Services } from '../../../../http/services.ts';
import { groupQuery, previousSpan, readSpan, type Span, spanQuery } from '../../../../values/span.ts';
import { datapointAnswer, readDatapointsInOrder, repliesOf } from '../../../feedback/index.ts';
import { countScope, readScope, type Scope, type ScopeQuery, scopeQuery } from '../../../locations/index.ts';
import { directoryQuery, readDirectory } from '../directory-query.ts';
import {
  CustomerFeedbackAnswer,
  FeedbackByPeriodAnswer,
  FeedbackKeywordsAnswer,
  ResponseTimeAnswer,
} from './feedback-answers.ts';
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

const mostUnread = 10;
const query = { ...scopeQuery, ...spanQuery, ...directoryQuery };

interface FeedbackQuery extends ScopeQuery {
  startDate?: string;
  endDate?: string;
  type?: string;
}

interface Question {
  scope: Scope;
  span: Span;
  narrowed: { directoryType?: string };
}

export function feedbackRoutes(server: FastifyInstance, { database }: Services): void {
  const sql = database.pool;

  async function read(caller: Caller, asked: FeedbackQuery): Promise<Question> {
    const span = readSpan(asked, new Date());
    const narrowed = asked.type === undefined ? {} : { directoryType: readDirectory(asked.type).type };
    return { scope: await readScope(sql, caller, asked), span, narrowed };
  }

  async function unreadOf({ scope, span, narrowed }: Question) {
    const source = await feedbackSource(sql, scope);
    const ids = await newestUnread(sql, { source, span, ...narrowed }, mostUnread);
    const [datapoints, replies] = await Promise.all([
      readDatapointsInOrder(sql, scope.partnerId, ids),
      repliesOf(sql, ids),
    ]);
    return datapoints.map((datapoint) => datapointAnswer(datapoint, replies.get(datapoint.id) ?? []));
  }

  route(server, {
    method: 'GET',
    path: '/api/dashboard/customer-feedback',
    summary: 'What customers left at locations: ratings, answers, and what is unread',
    needs: 'DASHBOARD_READ',
    query: Type.Object(query),
    response: CustomerFeedbackAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query: asked }) => {
      const question = await read(caller, asked);
      const { scope, span, narrowed } = question;
      const [{ ratingSum, ...totals }, matchedLocationsCount] = await Promise.all([
        feedbackTotals(sql, scope, span, narrowed),
        countScope(sql, scope),
      ]);
      return {
        ...totals,
        averageRating: averageOf(ratingSum, totals.ratingCount),
        unreadInteractions: totals.unreadInteractionCount > 0 ? await unreadOf(question) : [],
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
      summary: 'What customers left at locations, by period',
      needs: 'DASHBOARD_READ',
      query: Type.Object({ ...query, ...groupQuery('DAY') }),
      response: FeedbackByPeriodAnswer,
      problems: ['NOT_FOUND'],
      handler: async ({ caller, query: asked }) => {
        const { scope, span, narrowed } = await read(caller, asked);
        const [periods, matchedLocationsCount] = await Promise.all([
          feedbackByPeriod(sql, scope, span, asked.group, narrowed),
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
      summary: 'What reviews speak of: the hundred most frequent words, their forms joined',
      needs: 'DASHBOARD_READ',
      query: Type.Object(query),
      response: FeedbackKeywordsAnswer,
      problems: ['NOT_FOUND'],
      handler: async ({ caller, query: asked }) => {
        const { scope, span, narrowed } = await read(caller, asked);
        const [found, matchedLocationsCount] = await Promise.all([
          feedbackKeywords(sql, scope, span, narrowed),
          countScope(sql, scope),
        ]);
        return { ...found, matchedLocationsCount };
      },
    });
  }

  route(server, {
    method: 'GET',
    path: '/api/dashboard/review-response-time',
    summary: 'How long reviews waited for the first answer of the owner',
    needs: 'DASHBOARD_READ',
    query: Type.Object({ ...query, ...groupQuery('WEEK') }),
    response: ResponseTimeAnswer,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, query: asked }) => {
      const { scope, span, narrowed } = await read(caller, asked);
      const [current, previous, matchedLocationsCount] = await Promise.all([
        responseTimesByPeriod(sql, scope, span, asked.group, narrowed),
        responseTimes(sql, scope, previousSpan(span), narrowed),
        countScope(sql, scope),
      ]);
      return {
        ...timesAnswer(current),
        byPeriod: current.byPeriod.map((one) => ({ period: one.period, ...timesAnswer(one) })),
        previous: timesAnswer(previous),
        matchedLocationsCount,
      };
    },
  });
}

function timesAnswer({
  averageHours,
  medianHours,
  p90Hours,
  respondedCount,
  unrespondedCount,
  answeredShare,
}: ResponseTimes) {
  const responseRate = answeredShare === null ? null : Math.round(10_000 * answeredShare) / 100;
  return { averageHours, medianHours, p90Hours, respondedCount, unrespondedCount, responseRate };
}

const averageOf = (sum: number, count: number) => (count > 0 ? Math.round((sum / count) * 100) / 100 : null);
