import type { Expression } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { Scope } from '../../locations/index.ts';
import { type HomeLocation, homeColumns, inScope } from './home-location-store.ts';
import { type LocationFacts, postsUntil } from './location-facts.ts';

type UnscoredField = 'locationId' | 'businessId' | 'score' | 'visibilityIndex' | 'ratings' | 'averageRating';

/** Input of the score. */
type ScoreFacts = Omit<HomeLocation, UnscoredField>;

/** 100 points in total. */
const maxPointsByPart = {
  PROFILE_COMPLETENESS: 30,
  LISTINGS_IN_SYNC: 30,
  REVIEWS_ANSWERED: 20,
  RECENT_POSTS: 10,
  MESSAGES_ANSWERED: 10,
};
type ScorePartName = keyof typeof maxPointsByPart;
const scorePartNames = Object.keys(maxPointsByPart) as ScorePartName[];

export const ScorePart = Type.Object({
  name: Type.Enum(scorePartNames),
  points: Type.Number({ description: 'Points with one decimal', examples: [22.5] }),
  maxPoints: Type.Integer(),
  done: Type.Integer({
    description: 'Completed items, such as listings in sync or reviews with a reply',
    examples: [9],
  }),
  of: Type.Integer({ description: 'Total items. 0 gives all points for reviews and messages' }),
});

export interface Score {
  /** 0 to 100. */
  score: number;
  parts: Static<typeof ScorePart>[];
}

/** Without reviews or messages these parts give all points; without listings LISTINGS_IN_SYNC gives none. */
export function scoreOf(facts: ScoreFacts): Score {
  const parts = [
    part('PROFILE_COMPLETENESS', facts.completeness, 100, 0),
    part('LISTINGS_IN_SYNC', facts.listingsInSync, facts.listings, 0),
    part('REVIEWS_ANSWERED', facts.reviewsAnswered, facts.reviews, 1),
    part('RECENT_POSTS', facts.postsUntil ? 1 : 0, 1, 0),
    part('MESSAGES_ANSWERED', facts.messagesAnswered, facts.messages, 1),
  ];
  return {
    score: Math.round(parts.reduce((sum, { exact }) => sum + exact, 0)),
    parts: parts.map(({ exact, ...rest }) => ({ ...rest, points: Math.round(exact * 10) / 10 })),
  };
}

function part(name: ScorePartName, done: number, of: number, shareIfEmpty: 0 | 1) {
  const maxPoints = maxPointsByPart[name];
  return { name, maxPoints, done, of, exact: maxPoints * (of > 0 ? done / of : shareIfEmpty) };
}

/** Statuses of listings that can be in sync; those of car navigation and link-only directories cannot. */
const comparedStatuses: readonly string[] = ['IN_SYNC', 'NOT_IN_SYNC', 'NOT_FOUND', 'TECHNICAL_PROBLEMS'];

/** The values to store, with the score. */
export function homeLocationOf(facts: LocationFacts, now: Date): HomeLocation {
  const compared = facts.listings.filter(
    ({ status, syncStatus }) => status === 'ACTIVE' && comparedStatuses.includes(syncStatus),
  );
  const location = {
    locationId: facts.locationId,
    businessId: facts.businessId,
    completeness: facts.completeness,
    listings: compared.length,
    listingsInSync: compared.filter(({ syncStatus }) => syncStatus === 'IN_SYNC').length,
    reviews: facts.reviews,
    reviewsAnswered: facts.reviewsAnswered,
    messages: facts.messages,
    messagesAnswered: facts.messagesAnswered,
    postsUntil: postsUntil(facts, now),
    visibilityIndex: facts.visibilityIndex,
    ratings: facts.ratings,
    averageRating: facts.averageRating,
  };
  return { ...location, score: scoreOf(location).score };
}

/** Stored scores with their parts by location id. Call `catchUp` first for current values. */
export async function locationScores(
  sql: Sql,
  of: Scope | readonly number[],
  { offset = 0, limit, after }: { offset?: number; limit?: number; after?: number } = {},
): Promise<(Score & Pick<HomeLocation, 'locationId' | 'businessId'>)[]> {
  let locations = db(sql).selectFrom('homeLocations').select(homeColumns);
  locations = 'kind' in of ? locations.where(inScope(of)) : locations.where('locationId', '=', anyOf(of, 'bigint'));
  if (after !== undefined) locations = locations.where('locationId', '>', after);
  if (limit !== undefined) locations = locations.limit(limit);
  const found = await locations.orderBy('locationId').offset(offset).execute();
  return found.map((row) => ({ locationId: row.locationId, businessId: row.businessId, ...scoreOf(row) }));
}

type PartFigures = [share: number, done: number, of: number];

/** Average points per part, and sums of done and total items. */
export async function averageParts(sql: Sql, scope: Scope): Promise<Score['parts']> {
  const found = await db(sql)
    .selectFrom('homeLocations')
    .select(({ ref }) => [
      raw<PartFigures>`array[avg(${ref('completeness')}) / 100.0, sum(${ref('completeness')}), sum(100)]::float[]`.as(
        'completeness',
      ),
      doneOf(ref('listingsInSync'), ref('listings'), 0).as('listings'),
      doneOf(ref('reviewsAnswered'), ref('reviews'), 1).as('reviews'),
      raw<PartFigures>`array[avg((${ref('postsUntil')} is not null)::integer), count(${ref('postsUntil')}),
        count(*)]::float[]`.as('posts'),
      doneOf(ref('messagesAnswered'), ref('messages'), 1).as('messages'),
    ])
    .where(inScope(scope))
    .having(({ fn }) => fn.countAll(), '>', 0)
    .executeTakeFirst();
  if (!found) return [];
  const figures = {
    PROFILE_COMPLETENESS: found.completeness,
    LISTINGS_IN_SYNC: found.listings,
    REVIEWS_ANSWERED: found.reviews,
    RECENT_POSTS: found.posts,
    MESSAGES_ANSWERED: found.messages,
  };
  return scorePartNames.map((name) => {
    const [share, done, of] = figures[name];
    return {
      name,
      points: Math.round(share * maxPointsByPart[name] * 10) / 10,
      maxPoints: maxPointsByPart[name],
      done,
      of,
    };
  });
}

/** `shareOfNone` is the share of a location without items. */
const doneOf = (done: Expression<number>, of: Expression<number>, shareOfNone: 0 | 1) =>
  raw<PartFigures>`array[avg(case when ${of} = 0 then ${raw.lit(shareOfNone)} else ${done}::float / ${of} end),
    sum(${done}), sum(${of})]::float[]`;

/** Columns to rank by. Locations without a value are not ranked. */
const columnOf = {
  SCORE: 'score',
  PROFILE_COMPLETENESS: 'completeness',
  VISIBILITY_INDEX: 'visibilityIndex',
  AVERAGE_RATING: 'averageRating',
  RATING_COUNT: 'ratings',
} as const;

type RankedBy = keyof typeof columnOf;
export const rankedBy = Object.keys(columnOf) as readonly RankedBy[];

const nullable: ReadonlySet<RankedBy> = new Set(['VISIBILITY_INDEX', 'AVERAGE_RATING']);

export const rankOrders = ['BEST_FIRST', 'WORST_FIRST'] as const;
type RankOrder = (typeof rankOrders)[number];

/** Reads a page in index order. The best rank is 1; equal values share a rank, and the next ranks are skipped. */
export async function rankLocations(
  sql: Sql,
  scope: Scope,
  by: RankedBy,
  order: RankOrder,
  page: { offset: number; limit: number },
) {
  const column = columnOf[by];
  const [valueOrder, idOrder] = order === 'BEST_FIRST' ? (['desc', 'asc'] as const) : (['asc', 'desc'] as const);
  let all = db(sql).selectFrom('homeLocations').where(inScope(scope));
  if (nullable.has(by)) all = all.where(column, 'is not', null);
  const rows = await db(sql)
    .with(
      (cte) => cte('page').materialized(),
      () =>
        all
          .select(({ ref }) => ['locationId', ref(column).as('value')])
          .orderBy(column, valueOrder)
          .orderBy('locationId', idOrder)
          .offset(page.offset)
          .limit(page.limit),
    )
    .with('figures', (cte) => {
      const best = cte.selectFrom('page').select(({ fn }) => fn.max('value').as('best'));
      const count = all.select(({ fn }) => fn.countAll<number>().as('count'));
      return cte.selectNoFrom([count.as('count'), count.where(column, '>', best).as('better')]);
    })
    .selectFrom('figures')
    .leftJoin('page', (join) => join.onTrue())
    .select(['figures.count', 'figures.better', 'page.locationId', 'page.value'])
    .orderBy('page.value', valueOrder)
    .orderBy('page.locationId', idOrder)
    .execute();
  const found = rows.flatMap(({ locationId, value }) =>
    locationId === null ? [] : [{ locationId, value: value ?? 0 }],
  );
  const count = rows[0]?.count ?? 0;
  const better = rows[0]?.better ?? 0;
  const ranks = ranksOf(
    found.map(({ value }) => value),
    { count, better, order, offset: page.offset },
  );
  return {
    count,
    ranked: found.map(({ locationId, value }, index) => ({ rank: ranks[index] ?? 0, locationId, value })),
  };
}

/** `better`: number of locations ahead of the best on the page. */
function ranksOf(
  values: readonly number[],
  { count, better, order, offset }: { count: number; better: number; order: RankOrder; offset: number },
): number[] {
  const best = order === 'BEST_FIRST' ? values[0] : values.at(-1);
  return values.map((value) => {
    if (value === best) return better + 1;
    return order === 'BEST_FIRST' ? offset + values.indexOf(value) + 1 : count - offset - values.lastIndexOf(value);
  });
}
