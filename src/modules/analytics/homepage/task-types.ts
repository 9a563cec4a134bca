import { canPost, isAtWork, type LocationFacts, postsUntil } from './location-facts.ts';

export const categories = ['LOCATIONS', 'LISTINGS', 'INBOX', 'SOCIAL_POSTS'] as const;
export type Category = (typeof categories)[number];
export const priorities = ['HIGH', 'MEDIUM', 'LOW'] as const;
export type Priority = (typeof priorities)[number];

interface TaskDefinition {
  category: Category;
  priority: Priority;
  title: string;
  whatToDo: string;
  /** Of a location that is at work. */
  isOpen(facts: LocationFacts, now: Date): boolean;
}

/** What people are asked to do, the most pressing first. To add one, add it here. */
const definitions = {
  LOCATION_START_FIRST_SYNC: {
    category: 'LOCATIONS',
    priority: 'HIGH',
    title: 'Start the first sync',
    whatToDo: 'These locations are on no directory yet. Start their first sync.',
    isOpen: ({ wasSynced }) => !wasSynced,
  },
  LISTING_CONNECTION_MISSING: {
    category: 'LISTINGS',
    priority: 'HIGH',
    title: 'Connect accounts',
    whatToDo: 'A directory of these locations can be written to only with an account there. Connect it.',
    isOpen: ({ listings }) =>
      listings.some(({ status, connectStatus }) => status === 'ACTIVE' && connectStatus === 'NOT_CONNECTED'),
  },
  LISTING_FIELDS_MISSING: {
    category: 'LISTINGS',
    priority: 'HIGH',
    title: 'Add what directories demand',
    whatToDo: 'A directory takes these locations only with fields that they do not have. Add them.',
    isOpen: ({ directoriesLackingFields }) => directoriesLackingFields.length > 0,
  },
  DATAPOINT_UNREPLIED: {
    category: 'INBOX',
    priority: 'HIGH',
    title: 'Answer customers',
    whatToDo: 'Reviews or messages at these locations have no answer yet. Answer them.',
    isOpen: ({ reviews, reviewsAnswered, messages, messagesAnswered }) =>
      reviewsAnswered + messagesAnswered < reviews + messages,
  },
  DATAPOINT_UNREAD: {
    category: 'INBOX',
    priority: 'MEDIUM',
    title: 'Read what customers left',
    whatToDo: 'Nobody has read some of what customers left at these locations. Read it.',
    isOpen: ({ unread }) => unread > 0,
  },
  LOCATION_SUGGESTIONS_PENDING: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Decide on suggestions',
    whatToDo: 'Directories suggest other data for these locations. Accept or decline it.',
    isOpen: ({ suggestionsPending }) => suggestionsPending,
  },
  LOCATION_PROPERTIES_MISSING: {
    category: 'LOCATIONS',
    priority: 'MEDIUM',
    title: 'Complete the profile',
    whatToDo: 'These locations lack required or basic fields of their profile, other than photos. Add them.',
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
    whatToDo: 'No post was published for these locations in the last 30 days. Write one.',
    isOpen: (facts, now) => canPost(facts) && postsUntil(facts, now) === null,
  },
} as const satisfies Record<string, TaskDefinition>;

export type TaskType = keyof typeof definitions;

export const taskDefinitions: Readonly<Record<TaskType, TaskDefinition>> = definitions;
export const taskTypes = Object.keys(definitions) as readonly TaskType[];

/** The tasks that are open at a location. */
export const openTasks = (facts: LocationFacts, now: Date): TaskType[] =>
  isAtWork(facts) ? taskTypes.filter((type) => taskDefinitions[type].isOpen(facts, now)) : [];
