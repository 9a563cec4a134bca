import Type from 'typebox';
import { DatapointResponse } from '../../../feedback/index.ts';

const count = (description?: string) => Type.Integer(description === undefined ? {} : { description });
const orNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const matchedLocationsCount = count('Number of locations in the figures');
const period = Type.String({ description: 'First day of the period', examples: ['2026-11-01'] });

export const CustomerFeedbackResponse = Type.Object({
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

export const FeedbackByPeriodResponse = Type.Object({
  interactionCountByPeriod: Type.Array(Type.Object({ period, count: count() })),
  averageRatingByPeriod: Type.Array(Type.Object({ period, value: orNull('null if there are no ratings') })),
  totalRatingCount: count(),
  matchedLocationsCount,
});

const compared = <Value extends Type.TSchema>(value: Value, description: string) =>
  Type.Object({ current: value, previous: value }, { description });

export const FeedbackKeywordsResponse = Type.Object({
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

const responseTimes = {
  averageHours: orNull('Average time from a review to the first reply of the owner; null if none has a reply'),
  medianHours: orNull('Median, accurate to one percent'),
  p90Hours: orNull('90th percentile, accurate to one percent'),
  respondedCount: count('Reviews with a reply'),
  unrespondedCount: count('Reviews without a reply'),
  responseRate: orNull('Percentage of reviews with a reply; null if there are no reviews'),
};

export const ResponseTimeResponse = Type.Object({
  ...responseTimes,
  byPeriod: Type.Array(Type.Object({ period, ...responseTimes }), { description: 'By the date of the review' }),
  previous: Type.Object(responseTimes, { description: 'The preceding period of the same length' }),
  matchedLocationsCount,
});
