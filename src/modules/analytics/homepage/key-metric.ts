import Type from 'typebox';
import { invalidField } from '../../../problems.ts';
import {
  calls,
  clicks,
  directionRequests,
  type MetricsByDirectory,
  views,
} from '../dashboard/insights/metric-kinds.ts';
import type { Figures } from './key-metric-figures.ts';

const units = ['STARS', 'COUNT', 'PERCENT', 'HOURS', 'POINTS'] as const;

interface KeyMetric {
  title: string;
  description: string;
  unit: (typeof units)[number];
  higherIsBetter: boolean;
  /** Which directories it is taken from, and by what; absent when it is none of theirs. */
  countedBy?: MetricsByDirectory;
  /** Null when there is nothing that it could be taken from. */
  read(figures: Figures): Promise<number | null>;
}

const share = (part: number, whole: number) => (whole > 0 ? (100 * part) / whole : null);
const mean = (sum: number, count: number) => (count > 0 ? sum / count : null);

const shared = { higherIsBetter: true } as const;

const definitions = {
  LOCATION_SCORE: {
    ...shared,
    title: 'Location score',
    description: 'The average score of the locations, 0 to 100, as it stood at the end of the time asked for.',
    unit: 'POINTS',
    read: async ({ standing }) => {
      const { scoreSum, locations } = await standing();
      return mean(scoreSum, locations);
    },
  },
  AVERAGE_RATING: {
    ...shared,
    title: 'Average rating',
    description: 'The average of the ratings that customers left in the time asked for.',
    unit: 'STARS',
    read: async ({ feedback }) => {
      const { ratingSum, ratingCount } = await feedback();
      return mean(ratingSum, ratingCount);
    },
  },
  REVIEWS: {
    ...shared,
    title: 'Reviews',
    description: 'Reviews that customers left.',
    unit: 'COUNT',
    read: async ({ responses }) => {
      const { respondedCount, unrespondedCount } = await responses();
      return respondedCount + unrespondedCount;
    },
  },
  INTERACTIONS: {
    ...shared,
    title: 'Interactions',
    description: 'Everything that customers left: reviews, photos, check-ins, conversations, comments and questions.',
    unit: 'COUNT',
    read: async ({ feedback }) => (await feedback()).interactionCount,
  },
  RESPONSE_RATE: {
    ...shared,
    title: 'Response rate',
    description: 'The share of the reviews left in the time asked for that have an answer.',
    unit: 'PERCENT',
    read: async ({ responses }) => {
      const { answeredShare } = await responses();
      return answeredShare === null ? null : 100 * answeredShare;
    },
  },
  RESPONSE_TIME: {
    title: 'Response time',
    description: 'From a review to its first answer, on average.',
    unit: 'HOURS',
    higherIsBetter: false,
    read: async ({ responses }) => (await responses()).averageHours,
  },
  VISIBILITY_INDEX: {
    ...shared,
    title: 'Visibility index',
    description: 'How much of what directories could show right they do show right, at the end of the time asked for.',
    unit: 'POINTS',
    read: ({ visibility }) => visibility(),
  },
  PROFILE_COMPLETENESS: {
    ...shared,
    title: 'Profile completeness',
    description: 'How complete the profiles are on average, at the end of the time asked for.',
    unit: 'PERCENT',
    read: async ({ standing }) => {
      const { completenessSum, locations } = await standing();
      return mean(completenessSum, locations);
    },
  },
  LISTINGS_IN_SYNC: {
    ...shared,
    title: 'Listings in sync',
    description: 'The share of listings that show what the location has, at the end of the time asked for.',
    unit: 'PERCENT',
    read: async ({ standing }) => {
      const { listings, listingsInSync } = await standing();
      return share(listingsInSync, listings);
    },
  },
  IMPRESSIONS: {
    ...shared,
    title: 'Views',
    description: 'How often directories showed the locations.',
    unit: 'COUNT',
    countedBy: views,
    read: ({ insights }) => insights(views),
  },
  CLICKS: {
    ...shared,
    title: 'Clicks',
    description: 'How often people went on from a directory, mostly to the website.',
    unit: 'COUNT',
    countedBy: clicks,
    read: ({ insights }) => insights(clicks),
  },
  CALLS: {
    ...shared,
    title: 'Calls',
    description: 'How often people called from a directory.',
    unit: 'COUNT',
    countedBy: calls,
    read: ({ insights }) => insights(calls),
  },
  DIRECTION_REQUESTS: {
    ...shared,
    title: 'Direction requests',
    description: 'How often people asked a directory for the way.',
    unit: 'COUNT',
    countedBy: directionRequests,
    read: ({ insights }) => insights(directionRequests),
  },
  POSTS_PUBLISHED: {
    ...shared,
    title: 'Posts published',
    description: 'Social posts that appeared at one of the locations.',
    unit: 'COUNT',
    read: ({ posts }) => posts(),
  },
} as const satisfies Record<string, KeyMetric>;

export type KeyMetricName = keyof typeof definitions;
export const keyMetrics: Readonly<Record<KeyMetricName, KeyMetric>> = definitions;
export const keyMetricNames = Object.keys(definitions) as readonly KeyMetricName[];

export const usualMetrics: readonly KeyMetricName[] = [
  'LOCATION_SCORE',
  'AVERAGE_RATING',
  'REVIEWS',
  'RESPONSE_RATE',
  'VISIBILITY_INDEX',
  'IMPRESSIONS',
];

export const AvailableMetric = Type.Object({
  name: Type.Enum([...keyMetricNames]),
  title: Type.String({ examples: ['Average rating'] }),
  description: Type.String(),
  unit: Type.Enum([...units]),
  higherIsBetter: Type.Boolean(),
});

export const describeMetric = (name: KeyMetricName) => {
  const { title, description, unit, higherIsBetter } = keyMetrics[name];
  return { name, title, description, unit, higherIsBetter };
};

const trends = ['UP', 'DOWN', 'STABLE', 'UNKNOWN'] as const;

export const KeyMetricAnswer = Type.Object({
  name: Type.Enum([...keyMetricNames]),
  title: Type.String({ examples: ['Average rating'] }),
  unit: Type.Enum([...units]),
  value: Type.Union([Type.Number(), Type.Null()], {
    description: 'Null when there is nothing to take it from',
    examples: [4.31],
  }),
  previousValue: Type.Union([Type.Number(), Type.Null()], {
    description:
      'That of as many days right before; of what directories count, of as many days as are in the value, and null when one of them had not begun to count',
    examples: [4.19],
  }),
  countedUntil: Type.Optional(
    Type.String({
      description:
        'Of what directories count, the last day that is in the value: the last one all of them have counted',
      examples: ['2026-11-13'],
    }),
  ),
  previousUntil: Type.Optional(
    Type.String({
      description: 'The last day that is in the previous value, when that is earlier than previousEndDate',
      examples: ['2026-10-14'],
    }),
  ),
  change: Type.Union([Type.Number(), Type.Null()], { description: 'The value less the previous one' }),
  changePercent: Type.Union([Type.Number(), Type.Null()], { description: 'Null when the previous value was 0' }),
  trend: Type.Enum([...trends], { description: 'UNKNOWN when one of the two values is missing' }),
  isBetter: Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether the change is for the better' }),
});

const rounded = (value: number) => Math.round(value * 100) / 100;

/** A value beside the one before it. */
export function compareMetric(
  name: KeyMetricName,
  now: number | null,
  before: number | null,
  counted: { countedUntil?: string; previousUntil?: string } = {},
) {
  const { title, unit, higherIsBetter } = keyMetrics[name];
  const value = now === null ? null : rounded(now);
  const previousValue = before === null ? null : rounded(before);
  const change = value === null || previousValue === null ? null : rounded(value - previousValue);
  const trend =
    change === null
      ? ('UNKNOWN' as const)
      : change > 0
        ? ('UP' as const)
        : change < 0
          ? ('DOWN' as const)
          : ('STABLE' as const);
  return {
    name,
    title,
    unit,
    value,
    previousValue,
    change,
    changePercent: change === null || !previousValue ? null : rounded((100 * change) / previousValue),
    trend,
    isBetter: change === null || change === 0 ? null : change > 0 === higherIsBetter,
    ...counted,
  };
}

/** The metrics of these names, each once; a name that is none of them is refused. */
export function readMetricNames(given: readonly string[]): KeyMetricName[] {
  const unknown = given.filter((name) => !Object.hasOwn(definitions, name));
  if (unknown.length > 0) {
    const names = keyMetricNames.join(', ');
    throw invalidField('metrics', 'enum', `metrics may be ${names}; there is no ${unknown.join(', ')}.`);
  }
  return [...new Set(given)] as KeyMetricName[];
}
