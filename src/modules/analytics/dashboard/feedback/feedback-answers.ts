import Type from 'typebox';
import { DatapointAnswer } from '../../../feedback/index.ts';

const count = (description?: string) => Type.Integer(description === undefined ? {} : { description });
const orNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const matchedLocationsCount = count('How many locations the figures are about');
const period = Type.String({ description: 'The first day of the period', examples: ['2026-11-01'] });

export const CustomerFeedbackAnswer = Type.Object({
  countByRating: Type.Array(Type.Object({ rating: Type.Number(), count: count() }), {
    description: 'The whole stars from 1 to 5 always, others where there are any',
    examples: [[{ rating: 5, count: 120 }]],
  }),
  ratingCount: count('Interactions with a rating'),
  repliedCount: count('Interactions that the owner has answered'),
  averageRating: orNull('Null without ratings'),
  interactionCount: count('Reviews, photos, questions and so on that were left within the days asked for'),
  unreadInteractionCount: count(),
  unreadInteractions: Type.Array(DatapointAnswer, { maxItems: 10, description: 'The newest ten that nobody has read' }),
  matchedLocationsCount,
});

export const FeedbackByPeriodAnswer = Type.Object({
  interactionCountByPeriod: Type.Array(Type.Object({ period, count: count() })),
  averageRatingByPeriod: Type.Array(Type.Object({ period, value: orNull('Null without ratings') })),
  totalRatingCount: count(),
  matchedLocationsCount,
});

const compared = <Value extends Type.TSchema>(value: Value, description: string) =>
  Type.Object({ current: value, previous: value }, { description });

export const FeedbackKeywordsAnswer = Type.Object({
  keywords: Type.Array(
    Type.Object({
      keyword: Type.String({ description: 'The form that is used most', examples: ['Brötchen'] }),
      percentage: compared(Type.Number(), 'Of a hundred reviews that were read, so many have it'),
      rating: compared(orNull('Null without ratings'), 'The average rating of the reviews that have it'),
      ratingSum: compared(Type.Number(), 'The sum of their ratings'),
      aggregatedWords: Type.Array(Type.String(), { description: 'Its forms, the most frequent first' }),
    }),
    { maxItems: 100, description: 'The most frequent first; previous is as many days right before' },
  ),
  totalFeedbacksAnalyzed: count('Reviews with a text that were read for their words'),
  matchedLocationsCount,
});

const responseTimes = {
  averageHours: orNull('From a review to the first answer of the owner; null when none was answered'),
  medianHours: orNull('Within one percent'),
  p90Hours: orNull('Nine of ten answers came within so many hours, within one percent'),
  respondedCount: count('Reviews that were answered'),
  unrespondedCount: count('Reviews that were not'),
  responseRate: orNull('The share of reviews that were answered, in percent; null without reviews'),
};

export const ResponseTimeAnswer = Type.Object({
  ...responseTimes,
  byPeriod: Type.Array(Type.Object({ period, ...responseTimes }), { description: 'By the day of the review' }),
  previous: Type.Object(responseTimes, { description: 'As many days right before' }),
  matchedLocationsCount,
});
