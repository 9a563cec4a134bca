import { directoryList } from '../../directories/index.ts';
import { canPost, isOperating, type LocationFacts, postsUntil } from './location-facts.ts';

export const categories = ['LOCATIONS', 'LISTINGS', 'INBOX', 'SOCIAL_POSTS'] as const;
export type Category = (typeof categories)[number];
export const priorities = ['HIGH', 'MEDIUM', 'LOW'] as const;
type Priority = (typeof priorities)[number];

interface FindingDefinition {
  category: Category;
  priority: Priority;
  title: string;
  whatToDo: string;
}

interface TaskDefinition extends FindingDefinition {
  /** Called for operating locations only. */
  isOpen(facts: LocationFacts, now: Date): boolean;
}

/** Task types, most urgent first. */
const definitions = {
  LOCATION_START_FIRST_SYNC: {
    category: 'LOCATIONS',
    priority: 'HIGH',
    title: 'Start the first sync',
    whatToDo: 'These locations were never synced. Start the first sync.',
    isOpen: ({ wasSynced }) => !wasSynced,
  },
  LISTING_CONNECTION_MISSING: {
    category: 'LISTINGS',
    priority: 'HIGH',
    title: 'Connect accounts',
    whatToDo: 'A directory of these locations requires a connected account. Connect it.',
    isOpen: ({ listings }) =>
      listings.some(({ status, connectStatus }) => status === 'ACTIVE' && connectStatus === 'NOT_CONNECTED'),
  },
  LISTING_FIELDS_MISSING: {
    category: 'LISTINGS',
    priority: 'HIGH',
    title: 'Add required fields',
    whatToDo: 'These locations lack fields that a directory requires. Add them.',
    isOpen: ({ directoriesLackingFields }) => directoriesLackingFields.length > 0,
  },
  DATAPOINT_UNREPLIED: {
    category: 'INBOX',
    priority: 'HIGH',
    title: 'Reply to customers',
    whatToDo: 'Reviews or messages of these locations have no reply. Reply to them.',
    isOpen: ({ reviews, reviewsAnswered, messages, messagesAnswered }) =>
      reviewsAnswered + messagesAnswered < reviews + messages,
  },
  DATAPOINT_UNREAD: {
    category: 'INBOX',
    priority: 'MEDIUM',
    title: 'Read customer feedback',
    whatToDo: 'These locations have unread customer feedback. Read it.',
    isOpen: ({ unread }) => unread > 0,
  },
  LOCATION_SUGGESTIONS_PENDING: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Review suggestions',
    whatToDo: 'Directories suggest changes for these locations. Accept or decline them.',
    isOpen: ({ suggestionsPending }) => suggestionsPending,
  },
  LOCATION_PROPERTIES_MISSING: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Complete the profile',
    whatToDo: 'These locations lack required or basic profile fields other than photos. Add them.',
    isOpen: ({ lacksProperties }) => lacksProperties,
  },
  LOCATION_ADD_PHOTOS: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Add photos',
    whatToDo: 'These locations have no photos. Add at least one.',
    isOpen: ({ lacks }) => lacks.has('photos'),
  },
  LOCATION_SOCIAL_POST_MISSING: {
    category: 'SOCIAL_POSTS',
    priority: 'LOW',
    title: 'Publish a post',
    whatToDo: 'No post was published for these locations in the last 30 days. Create one.',
    isOpen: (facts, now) => canPost(facts) && postsUntil(facts, now) === null,
  },
} as const satisfies Record<string, TaskDefinition>;

export type TaskType = keyof typeof definitions;

export const taskDefinitions: Readonly<Record<TaskType, TaskDefinition>> = definitions;
export const taskTypes = Object.keys(definitions) as readonly TaskType[];

export const openTasks = (facts: LocationFacts, now: Date): TaskType[] =>
  isOperating(facts) ? taskTypes.filter((type) => taskDefinitions[type].isOpen(facts, now)) : [];

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

interface SuggestionDefinition extends FindingDefinition {
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
