import type { Sql } from '../../../database/connection.ts';
import { dayOf, daysAfter, periodOf, type Span } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import {
  type FeedbackTotals,
  feedbackTotals,
  type ResponseTimes,
  responseTimes,
} from '../dashboard/feedback/feedback-figures.ts';
import { insightsByPeriod } from '../dashboard/insights/insight-figures.ts';
import type { MetricsByDirectory } from '../dashboard/insights/metric-kinds.ts';
import { visibilityIndex } from '../dashboard/standing/standing-figures.ts';
import { once } from '../once.ts';
import { type Totals, totalsOf } from './home-totals-store.ts';
import { countPublishedPosts } from './published-posts-store.ts';

/** What the metrics of one span are taken from; each is asked for once at most, and only when a metric needs it. */
export interface Figures {
  feedback(): Promise<FeedbackTotals>;
  responses(): Promise<ResponseTimes>;
  /** How the locations stood at the end of the span. */
  standing(): Promise<Totals>;
  visibility(): Promise<number | null>;
  posts(): Promise<number>;
  /** The sum of metrics that directories count. Null where the days to compare were not counted by all of them. */
  insights(metrics: MetricsByDirectory): Promise<number | null>;
}

/** The days to add up, by directory; undefined for days that the directory has not counted. */
type DaysOf = (directoryTypes: readonly string[]) => Promise<ReadonlyMap<string, Span | undefined>>;

export function figuresOf(sql: Sql, scope: Scope, span: Span, now: Date, daysOf: DaysOf): Figures {
  // Days that are over do not change; a span that reaches up to yesterday is about how things stand.
  const isNow = span.to >= daysAfter(dayOf(now), -1);
  return {
    feedback: once(() => feedbackTotals(sql, scope, span)),
    responses: once(() => responseTimes(sql, scope, span)),
    standing: once(() => totalsOf(sql, scope, isNow ? null : span.to)),
    visibility: once(async () => {
      const { score, history } = await visibilityIndex(sql, scope, span, 'YEAR');
      const last = history.at(-1);
      const atTheEnd = last?.period === periodOf(span.to, 'YEAR') ? last.score : null;
      return isNow ? (score ?? null) : atTheEnd;
    }),
    posts: once(() => countPublishedPosts(sql, scope, span)),
    insights: async (metrics) => {
      const days = await daysOf(Object.keys(metrics));
      const asked = [...days].map(
        ([directoryType, counted]) =>
          counted &&
          insightsByPeriod(sql, scope, counted, 'YEAR', { directoryType, metrics: metrics[directoryType] ?? [] }),
      );
      if (asked.includes(undefined)) return null;
      return (await Promise.all(asked)).flat().reduce((sum, one) => sum + (one?.count ?? 0), 0);
    },
  };
}
