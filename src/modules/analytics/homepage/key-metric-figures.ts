import type { Sql } from '../../../database/connection.ts';
import { dayOf, daysAfter, periodOf, type Span } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import {
  type FeedbackTotals,
  feedbackTotals,
  type ResponseTimes,
  responseTimes,
} from '../dashboard/feedback/feedback-figures.ts';
import { visibilityIndex } from '../dashboard/health/health-figures.ts';
import { insightsByPeriod } from '../dashboard/insights/insight-figures.ts';
import type { MetricsByDirectory } from '../dashboard/insights/metric-kinds.ts';
import { type Totals, totalsOf } from './home-totals-store.ts';

/** Figures of a span, each read at most once and only if a metric needs it. */
export interface Figures {
  feedback(): Promise<FeedbackTotals>;
  responses(): Promise<ResponseTimes>;
  /** Totals at the end of the span. */
  totals(): Promise<Totals>;
  visibility(): Promise<number | null>;
  posts(): Promise<number>;
  /** Sum of metrics over directories. Null if a directory has not counted the days. */
  insights(metrics: MetricsByDirectory): Promise<number | null>;
}

/** Days to sum up by directory; undefined if the directory has no data. */
type DaysOf = (directoryTypes: readonly string[]) => Promise<ReadonlyMap<string, Span | undefined>>;

export function figuresOf(sql: Sql, scope: Scope, span: Span, now: Date, daysOf: DaysOf): Figures {
  // Spans that end yesterday or later use current values.
  const isNow = span.to >= daysAfter(dayOf(now), -1);
  return {
    feedback: once(() => feedbackTotals(sql, scope, span)),
    responses: once(() => responseTimes(sql, scope, span)),
    totals: once(() => totalsOf(sql, scope, isNow ? null : span.to)),
    visibility: once(async () => {
      const { score, history } = await visibilityIndex(sql, scope, span, 'YEAR');
      const last = history.at(-1);
      const endScore = last?.period === periodOf(span.to, 'YEAR') ? last.score : null;
      return isNow ? (score ?? null) : endScore;
    }),
    posts: once(() => countPublishedPosts(sql, scope, span)),
    insights: async (metrics) => {
      const days = await daysOf(Object.keys(metrics));
      const queries = [...days].map(
        ([directoryType, counted]) =>
          counted &&
          insightsByPeriod(sql, scope, counted, 'YEAR', { directoryType, metrics: metrics[directoryType] ?? [] }),
      );
      if (queries.includes(undefined)) return null;
      return (await Promise.all(queries)).flat().reduce((sum, one) => sum + (one?.count ?? 0), 0);
    },
  };
}

/** Calls `read` once, on first use. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
}

/** Posts published for a location of the scope within the span. Deleted locations do not count. */
export async function countPublishedPosts(sql: Sql, scope: Scope, { from, to }: Span): Promise<number> {
  const { text, values } = queryOf(scope);
  const { rows } = await sql.query<{ count: number }>(text, [from, daysAfter(to, 1), ...values]);
  return rows[0]?.count ?? 0;
}

const inSpan = 'published_at >= $1::date and published_at < $2::date';

function queryOf(scope: Scope): { text: string; values: unknown[] } {
  if (scope.kind === 'partner') {
    // A post may have 100,000 publications: exists stops at the first.
    const text = `select count(*) from social_posts where partner_id = $3 and exists (
        select from social_post_publications publication
        join locations on locations.id = publication.location_id and locations.status <> 'DELETED'
        where publication.post_id = social_posts.id and ${inSpan}
      )`;
    return { text, values: [scope.partnerId] };
  }
  const which = scope.kind === 'businesses' ? 'locations.business_id' : 'locations.id';
  const text = `select count(distinct post_id) from locations
      join social_post_publications publication on publication.location_id = locations.id and ${inSpan}
      where ${which} = any ($3::bigint[]) and locations.status <> 'DELETED'`;
  return { text, values: [scope.kind === 'businesses' ? scope.businessIds : scope.locationIds] };
}
