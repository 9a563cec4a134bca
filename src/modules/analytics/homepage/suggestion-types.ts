import { directoryList } from '../../directories/index.ts';
import { canPost, isOperating, type LocationFacts } from './location-facts.ts';
import type { Category, Priority } from './task-types.ts';

/** Fewer ratings are not significant. */
const minRatings = 5;
const lowRating = 3.5;
const lowVisibility = 50;

/** Figures of the scope that decide whether a suggestion is shown. */
export interface SuggestionEvidence {
  /** Number of locations by finding. */
  countOf(finding: string): number;
  /** Average over the last 30 days; null without replies. */
  averageResponseHours: number | null;
  postsThisMonth: number;
}

interface SuggestionDefinition {
  category: Category;
  priority: Priority;
  title: string;
  whatToDo: string;
  /** For suggestions about one directory. */
  directoryType?: string;
  /** The finding that selects the locations. Defaults to its own type. */
  countedBy?: string;
  /** Whether the suggestion applies to a location. Absent if `countedBy` is set. */
  appliesTo?(facts: LocationFacts): boolean;
  /** Whether the suggestion is shown. Defaults to true. */
  isShown?(evidence: SuggestionEvidence): boolean;
}

const directoriesToConnect = directoryList.filter(({ needsConnection }) => needsConnection);
const connection = (facts: LocationFacts, directoryType: string) =>
  facts.listings.find((listing) => listing.directoryType === directoryType && listing.status === 'ACTIVE')
    ?.connectStatus;

const slowHours = 48;

/** Findings that are counted only as evidence. */
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

export const suggestionDefinitions: Readonly<Record<string, SuggestionDefinition>> = {
  ...Object.fromEntries(
    directoriesToConnect.map(({ type, name }): [string, SuggestionDefinition] => [
      `CONNECT_${type}`,
      {
        category: 'LISTINGS',
        priority: 'HIGH',
        directoryType: type,
        title: `Connect ${name} for all locations`,
        whatToDo: `Most of your locations are connected to ${name}. Connect these as well.`,
        appliesTo: (facts) => connection(facts, type) === 'NOT_CONNECTED',
        isShown: ({ countOf }) => countOf(`${type}_CONNECTED`) > countOf(`CONNECT_${type}`),
      },
    ]),
  ),
  ANSWER_REVIEWS_FASTER: {
    category: 'INBOX',
    priority: 'HIGH',
    title: 'Reply to reviews faster',
    whatToDo: `In the last 30 days replies to reviews took longer than ${slowHours} hours on average. Reply faster.`,
    countedBy: 'HAS_REVIEWS',
    isShown: ({ averageResponseHours }) => averageResponseHours !== null && averageResponseHours > slowHours,
  },
  ANSWER_MORE_REVIEWS: {
    category: 'INBOX',
    priority: 'HIGH',
    title: 'Reply to more reviews',
    whatToDo: 'Fewer than half of the reviews of these locations have a reply. Reply to more of them.',
    appliesTo: ({ reviews, reviewsAnswered }) => reviews >= minRatings && reviewsAnswered < reviews / 2,
  },
  LOOK_INTO_LOW_RATINGS: {
    category: 'INBOX',
    priority: 'MEDIUM',
    title: 'Look into low ratings',
    whatToDo: `These locations have fewer than ${lowRating} stars on average. See what customers complain about.`,
    appliesTo: ({ ratings, averageRating }) =>
      ratings >= minRatings && averageRating !== null && averageRating < lowRating,
  },
  RAISE_VISIBILITY: {
    category: 'LISTINGS',
    priority: 'MEDIUM',
    title: 'Increase the visibility',
    whatToDo: 'Listings of these locations have incorrect data. Claim and update them.',
    appliesTo: ({ visibilityIndex }) => visibilityIndex !== null && visibilityIndex < lowVisibility,
  },
  ADD_DESCRIPTION: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Add a description',
    whatToDo: 'These locations have no description. Describe what customers find there.',
    appliesTo: ({ lacks }) => lacks.has('descriptionLong'),
  },
  ADD_OPENING_HOURS: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Add opening hours',
    whatToDo: 'These locations have no opening hours. Add them.',
    appliesTo: ({ lacks }) => lacks.has('openingHours'),
  },
  POST_THIS_MONTH: {
    category: 'SOCIAL_POSTS',
    priority: 'MEDIUM',
    title: 'Post this month',
    whatToDo: 'No post was published this month. Create a post for these locations.',
    countedBy: 'CAN_POST',
    isShown: ({ postsThisMonth }) => postsThisMonth === 0,
  },
  ADD_WEBSITE: {
    category: 'LOCATIONS',
    priority: 'LOW',
    title: 'Add a website',
    whatToDo: 'These locations have no website. Add its URL.',
    appliesTo: ({ lacks }) => lacks.has('website'),
  },
  ADD_KEYWORDS: {
    category: 'LOCATIONS',
    priority: 'LOW',
    title: 'Add keywords',
    whatToDo: 'These locations have no keywords. Add words that customers search for.',
    appliesTo: ({ lacks }) => lacks.has('keywords'),
  },
};

export const suggestionTypes = Object.keys(suggestionDefinitions);

export const countedBy = (type: string): string => suggestionDefinitions[type]?.countedBy ?? type;

/** Suggestions that apply to a location, and evidence for other suggestions. */
export function findingsForSuggestions(facts: LocationFacts): string[] {
  if (!isOperating(facts)) return [];
  return [
    ...suggestionTypes.filter((type) => suggestionDefinitions[type]?.appliesTo?.(facts)),
    ...Object.keys(measures).filter((name) => measures[name]?.(facts)),
  ];
}
