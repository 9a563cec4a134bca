import Type, { type Static } from 'typebox';
import type { LocationFacts } from './location-facts.ts';

/** Input of the score. */
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

/** 100 points in total. */
export const maxPointsByPart: Readonly<Record<(typeof scorePartNames)[number], number>> = {
  PROFILE_COMPLETENESS: 30,
  LISTINGS_IN_SYNC: 30,
  REVIEWS_ANSWERED: 20,
  RECENT_POSTS: 10,
  MESSAGES_ANSWERED: 10,
};

export const ScorePart = Type.Object({
  name: Type.Enum([...scorePartNames]),
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
    part('RECENT_POSTS', facts.hasRecentPost ? 1 : 0, 1, 0),
    part('MESSAGES_ANSWERED', facts.messagesAnswered, facts.messages, 1),
  ];
  return {
    score: Math.round(parts.reduce((sum, { exact }) => sum + exact, 0)),
    parts: parts.map(({ exact, ...rest }) => ({ ...rest, points: Math.round(exact * 10) / 10 })),
  };
}

function part(name: (typeof scorePartNames)[number], done: number, of: number, shareIfEmpty: 0 | 1) {
  const maxPoints = maxPointsByPart[name];
  return { name, maxPoints, done, of, exact: maxPoints * (of > 0 ? done / of : shareIfEmpty) };
}

/** Statuses of listings that can be in sync; those of car navigation and link-only directories cannot. */
const comparedStatuses: readonly string[] = ['IN_SYNC', 'NOT_IN_SYNC', 'NOT_FOUND', 'TECHNICAL_PROBLEMS'];

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
