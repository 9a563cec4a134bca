import { canPost, isOperating, type LocationFacts, postsUntil } from './location-facts.ts';

export const categories = ['LOCATIONS', 'LISTINGS', 'INBOX', 'SOCIAL_POSTS'] as const;
export type Category = (typeof categories)[number];
export const priorities = ['HIGH', 'MEDIUM', 'LOW'] as const;
export type Priority = (typeof priorities)[number];

interface TaskDefinition {
  category: Category;
  priority: Priority;
  title: string;
  whatToDo: string;
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
