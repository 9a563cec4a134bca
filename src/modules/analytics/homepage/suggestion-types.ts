import { directoryList } from '../../directories/index.ts';
import { canPost, isAtWork, type LocationFacts } from './location-facts.ts';
import type { Category, Priority } from './task-types.ts';

/** Fewer than so many say nothing. */
const fewestRatings = 5;
const lowRating = 3.5;
const lowVisibility = 50;

/** What a suggestion is weighed by beyond the locations that it is for. */
export interface SuggestionEvidence {
  /** Locations of the scope at which each thing was found. */
  countOf(finding: string): number;
  /** How long answers to reviews took on average in the last 30 days; null without any. */
  averageAnswerHours: number | null;
  postsThisMonth: number;
}

interface SuggestionDefinition {
  category: Category;
  priority: Priority;
  title: string;
  whatToDo: string;
  /** When it is about one directory. */
  directoryType?: string;
  /** The finding whose locations it is for: its own, unless it is said. */
  countedBy?: string;
  /** Whether a location is one of those that it is for; absent when another finding says so. */
  isFor?(facts: LocationFacts): boolean;
  /** Whether it is made at all; always when it is for any location, unless it is said. */
  isMade?(evidence: SuggestionEvidence): boolean;
}

const directoriesToConnect = directoryList.filter(({ needsConnection }) => needsConnection);
const connection = (facts: LocationFacts, directoryType: string) =>
  facts.listings.find((listing) => listing.directoryType === directoryType && listing.status === 'ACTIVE')
    ?.connectStatus;

const slowHours = 48;

/** Things that are counted only to weigh suggestions by them. */
const measures: Readonly<Record<string, (facts: LocationFacts) => boolean>> = {
  HAS_REVIEWS: ({ reviews }) => reviews > 0,
  CAN_POST: canPost,
  ...Object.fromEntries(
    directoriesToConnect.map(({ type }) => [
      `${type}_CONNECTED`,
      (facts: LocationFacts) => connection(facts, type) === 'CONNECTED',
    ]),
  ),
};

/** What could be better without being asked for. */
export const suggestionDefinitions: Readonly<Record<string, SuggestionDefinition>> = {
  ...Object.fromEntries(
    directoriesToConnect.map(({ type, name }): [string, SuggestionDefinition] => [
      `CONNECT_${type}`,
      {
        category: 'LISTINGS',
        priority: 'HIGH',
        directoryType: type,
        title: `Connect ${name} everywhere`,
        whatToDo: `Most of your locations are connected with ${name}, these are not yet. Connect them as well.`,
        isFor: (facts) => connection(facts, type) === 'NOT_CONNECTED',
        isMade: ({ countOf }) => countOf(`${type}_CONNECTED`) > countOf(`CONNECT_${type}`),
      },
    ]),
  ),
  ANSWER_REVIEWS_FASTER: {
    category: 'INBOX',
    priority: 'HIGH',
    title: 'Answer reviews faster',
    whatToDo: `In the last 30 days answers to reviews took longer than ${slowHours} hours on average. Answer sooner.`,
    countedBy: 'HAS_REVIEWS',
    isMade: ({ averageAnswerHours }) => averageAnswerHours !== null && averageAnswerHours > slowHours,
  },
  ANSWER_MORE_REVIEWS: {
    category: 'INBOX',
    priority: 'HIGH',
    title: 'Answer more reviews',
    whatToDo: 'Fewer than half of the reviews of these locations have an answer. Answer more of them.',
    isFor: ({ reviews, reviewsAnswered }) => reviews >= fewestRatings && reviewsAnswered < reviews / 2,
  },
  LOOK_INTO_LOW_RATINGS: {
    category: 'INBOX',
    priority: 'MEDIUM',
    title: 'Look into low ratings',
    whatToDo: `These locations have fewer than ${lowRating} stars on average. See what customers complain about.`,
    isFor: ({ ratings, averageRating }) =>
      ratings >= fewestRatings && averageRating !== null && averageRating < lowRating,
  },
  RAISE_VISIBILITY: {
    category: 'LISTINGS',
    priority: 'MEDIUM',
    title: 'Raise the visibility',
    whatToDo: 'Directories show other data than these locations have. Claim and update their listings.',
    isFor: ({ visibilityIndex }) => visibilityIndex !== null && visibilityIndex < lowVisibility,
  },
  ADD_DESCRIPTION: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Add a description',
    whatToDo: 'These locations have no description. Say what people find there.',
    isFor: ({ lacks }) => lacks.has('descriptionLong'),
  },
  ADD_OPENING_HOURS: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Add opening hours',
    whatToDo: 'These locations have no opening hours. Add them.',
    isFor: ({ lacks }) => lacks.has('openingHours'),
  },
  POST_THIS_MONTH: {
    category: 'SOCIAL_POSTS',
    priority: 'MEDIUM',
    title: 'Post this month',
    whatToDo: 'Nothing was published this month yet. Write a post for these locations.',
    countedBy: 'CAN_POST',
    isMade: ({ postsThisMonth }) => postsThisMonth === 0,
  },
  ADD_WEBSITE: {
    category: 'LOCATIONS',
    priority: 'LOW',
    title: 'Add a website',
    whatToDo: 'These locations have no website. Add its address.',
    isFor: ({ lacks }) => lacks.has('website'),
  },
  ADD_KEYWORDS: {
    category: 'LOCATIONS',
    priority: 'LOW',
    title: 'Add keywords',
    whatToDo: 'These locations have no keywords. Add the words that people search for.',
    isFor: ({ lacks }) => lacks.has('keywords'),
  },
};

export const suggestionTypes = Object.keys(suggestionDefinitions);

/** The finding whose locations a suggestion is for. */
export const countedBy = (type: string): string => suggestionDefinitions[type]?.countedBy ?? type;

/** What of this was found at a location: the suggestions that are for it, and what others are weighed by. */
export function improvable(facts: LocationFacts): string[] {
  if (!isAtWork(facts)) return [];
  return [
    ...suggestionTypes.filter((type) => suggestionDefinitions[type]?.isFor?.(facts)),
    ...Object.keys(measures).filter((name) => measures[name]?.(facts)),
  ];
}
