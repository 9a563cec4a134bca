import Type, { type Static } from 'typebox';
import type { LocationFacts } from './location-facts.ts';

/** What the score of a location is made of, as it is kept. */
export interface ScoreFacts {
  completeness: number;
  listings: number;
  listingsInSync: number;
  reviews: number;
  reviewsAnswered: number;
  messages: number;
  messagesAnswered: number;
  hasRecentPost: boolean;
}

const scorePartNames = [
  'PROFILE_COMPLETENESS',
  'LISTINGS_IN_SYNC',
  'REVIEWS_ANSWERED',
  'RECENT_POSTS',
  'MESSAGES_ANSWERED',
] as const;

/** What each part can give: a hundred points together. */
export const mostPoints: Readonly<Record<(typeof scorePartNames)[number], number>> = {
  PROFILE_COMPLETENESS: 30,
  LISTINGS_IN_SYNC: 30,
  REVIEWS_ANSWERED: 20,
  RECENT_POSTS: 10,
  MESSAGES_ANSWERED: 10,
};

export const ScorePart = Type.Object({
  name: Type.Enum([...scorePartNames]),
  points: Type.Number({ description: 'With one decimal', examples: [22.5] }),
  maxPoints: Type.Integer(),
  done: Type.Integer({ description: 'Such as listings in sync, or reviews that have an answer', examples: [9] }),
  of: Type.Integer({ description: 'Of how many; 0 when there is nothing to answer, which gives all points' }),
});

export interface Score {
  /** 0 to 100. */
  score: number;
  parts: Static<typeof ScorePart>[];
}

/**
 * Completeness gives 30 points, listings in sync 30, reviews answered 20, a post in the last 30 days 10 and messages
 * answered 10. Who has no reviews or no messages leaves none unanswered and has those points; who has no listings is
 * nowhere in sync and has none for them.
 */
export function scoreOf(facts: ScoreFacts): Score {
  const parts = [
    part('PROFILE_COMPLETENESS', facts.completeness, 100, 0),
    part('LISTINGS_IN_SYNC', facts.listingsInSync, facts.listings, 0),
    part('REVIEWS_ANSWERED', facts.reviewsAnswered, facts.reviews, 1),
    part('RECENT_POSTS', facts.hasRecentPost ? 1 : 0, 1, 0),
    part('MESSAGES_ANSWERED', facts.messagesAnswered, facts.messages, 1),
  ];
  return {
    score: Math.round(parts.reduce((sum, { exact }) => sum + exact, 0)),
    parts: parts.map(({ exact, ...rest }) => ({ ...rest, points: Math.round(exact * 10) / 10 })),
  };
}

function part(name: (typeof scorePartNames)[number], done: number, of: number, shareOfNothing: 0 | 1) {
  const maxPoints = mostPoints[name];
  return { name, maxPoints, done, of, exact: maxPoints * (of > 0 ? done / of : shareOfNothing) };
}

/** Listings that could be in sync: those of car navigation or of mere links never are. */
const comparedStatuses: readonly string[] = ['IN_SYNC', 'NOT_IN_SYNC', 'NOT_FOUND', 'TECHNICAL_PROBLEMS'];

/** The part of a location's facts that its score is made of. */
export function scoreFactsOf(facts: LocationFacts, hasRecentPost: boolean): ScoreFacts {
  const compared = facts.listings.filter(
    ({ status, syncStatus }) => status === 'ACTIVE' && comparedStatuses.includes(syncStatus),
  );
  return {
    completeness: facts.completeness,
    listings: compared.length,
    listingsInSync: compared.filter(({ syncStatus }) => syncStatus === 'IN_SYNC').length,
    reviews: facts.reviews,
    reviewsAnswered: facts.reviewsAnswered,
    messages: facts.messages,
    messagesAnswered: facts.messagesAnswered,
    hasRecentPost,
  };
}
