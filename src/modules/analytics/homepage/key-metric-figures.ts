import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { dayOf, daysAfter, periodOf, type Span } from '../../../values/span.ts';
import type { Scope } from '../../locations/index.ts';
import { feedbackTotals, responseTimes } from '../dashboard/feedback/feedback-figures.ts';
import { visibilityIndex } from '../dashboard/health/health-figures.ts';
import { insightsByPeriod, type MetricsByDirectory } from '../dashboard/insights/insight-figures.ts';
import { totalsOf } from './home-totals-store.ts';

/** Days to sum up by directory; undefined if the directory has no data. */
type DaysOf = (directoryTypes: readonly string[]) => Promise<ReadonlyMap<string, Span | undefined>>;

export type Figures = ReturnType<typeof figuresOf>;

/** Figures of a span, each read at most once and only if a metric needs it. */
export function figuresOf(sql: Sql, scope: Scope, span: Span, now: Date, daysOf: DaysOf) {
  // Spans that end yesterday or later use current values.
  const isNow = span.to >= daysAfter(dayOf(now), -1);
  return {
    feedback: once(() => feedbackTotals(sql, scope, span)),
    responses: once(() => responseTimes(sql, scope, span)),
    /** At the end of the span. */
    totals: once(() => totalsOf(sql, scope, isNow ? null : span.to)),
    visibility: once(async () => {
      const { score, history } = await visibilityIndex(sql, scope, span, 'YEAR');
      const last = history.at(-1);
      const endScore = last?.period === periodOf(span.to, 'YEAR') ? last.score : null;
      return isNow ? (score ?? null) : endScore;
    }),
    posts: once(() => countPublishedPosts(sql, scope, span)),
    /** Sum of metrics over directories. Null if a directory has not counted the days. */
    insights: async (metrics: MetricsByDirectory) => {
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
export async function countPublishedPosts(sql: Sql, scope: Scope, span: Span): Promise<number> {
  const counting =
    scope.kind === 'partner' ? countOfPartner(sql, scope.partnerId, span) : countOfList(sql, scope, span);
  const { count } = await counting.executeTakeFirstOrThrow();
  return count;
}

// A post may have 100,000 publications: exists stops at the first.
const countOfPartner = (sql: Sql, partnerId: number, span: Span) =>
  db(sql)
    .selectFrom('socialPosts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('partnerId', '=', partnerId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('socialPostPublications as publication')
          .innerJoin('locations', 'locations.id', 'publication.locationId')
          .where('locations.status', '<>', 'DELETED')
          .whereRef('publication.postId', '=', 'socialPosts.id')
          .where(publishedIn(span)),
      ),
    );

const countOfList = (sql: Sql, scope: Exclude<Scope, { kind: 'partner' }>, span: Span) =>
  db(sql)
    .selectFrom('locations')
    .innerJoin('socialPostPublications as publication', 'publication.locationId', 'locations.id')
    .select(({ fn }) => fn.count<number>('postId').distinct().as('count'))
    .where(publishedIn(span))
    .where('locations.status', '<>', 'DELETED')
    .where(({ eb }) =>
      scope.kind === 'businesses'
        ? eb('locations.businessId', '=', anyOf(scope.businessIds, 'bigint'))
        : eb('locations.id', '=', anyOf(scope.locationIds, 'bigint')),
    );

function publishedIn({ from, to }: Span): Expression<SqlBool> {
  const eb = expressionBuilder<DB, 'socialPostPublications'>();
  return eb.and([
    eb('publishedAt', '>=', raw<Date>`${from}::date`),
    eb('publishedAt', '<', raw<Date>`${daysAfter(to, 1)}::date`),
  ]);
}
