import { type Directory, findDirectory, missingFields } from '../../directories/index.ts';
import type { Listing } from '../../listings/index.ts';
import { type Location, type LocationStatus, listingProfileOf, missingFieldsOf } from '../../locations/index.ts';

/** A listing as far as the homepage looks at it; duplicates are not among them. */
export interface ListingFacts extends Pick<Listing, 'directoryType' | 'syncStatus' | 'status' | 'connectStatus'> {
  hasPage: boolean;
}

export interface FeedbackFacts {
  /** Reviews and messages that the directory takes an answer to, and those of them that have one. */
  reviews: number;
  reviewsAnswered: number;
  messages: number;
  messagesAnswered: number;
  /** Of every kind. */
  unread: number;
}

/** Everything about a location that its score, its tasks and its suggestions follow from. */
export interface LocationFacts extends FeedbackFacts {
  locationId: number;
  businessId: number;
  status: LocationStatus;
  wasSynced: boolean;
  completeness: number;
  /** The fields that the levels REQUIRED, BASIC and ADVANCED lack, and those of BONUS. */
  lacks: ReadonlySet<string>;
  /** Whether it lacks something of REQUIRED or BASIC other than photos. */
  lacksProperties: boolean;
  listings: readonly ListingFacts[];
  /** Directories that it is to be on and that demand fields which it does not have. */
  directoriesLackingFields: readonly string[];
  suggestionsPending: boolean;
  lastPosted: Date | null;
  visibilityIndex: number | null;
  ratings: number;
  averageRating: number | null;
}

export const noFeedback: FeedbackFacts = {
  reviews: 0,
  reviewsAnswered: 0,
  messages: 0,
  messagesAnswered: 0,
  unread: 0,
};

/** What is known of a location in its several tables, as one. */
export function factsOf(
  location: Location,
  known: {
    listings: readonly ListingFacts[];
    feedback: FeedbackFacts;
    suggestionsPending: boolean;
    lastPosted: Date | null;
  },
): LocationFacts {
  const required = missingFieldsOf(location, 'REQUIRED');
  const basic = missingFieldsOf(location, 'BASIC');
  const rest = [...missingFieldsOf(location, 'ADVANCED'), ...missingFieldsOf(location, 'BONUS')];
  const profile = listingProfileOf(location);
  const lacksFieldsOf = (directory: Directory | undefined) =>
    directory?.supports.submission === true && missingFields(directory, profile).length > 0;
  return {
    locationId: location.id,
    businessId: location.businessId,
    status: location.status,
    wasSynced: location.lastSyncStarted !== null,
    completeness: location.profileCompleteness,
    lacks: new Set([...required, ...basic, ...rest].flat()),
    lacksProperties: [...required, ...basic].some((fields) => !fields.includes('photos')),
    listings: known.listings,
    directoriesLackingFields: known.listings
      .filter(({ status, directoryType }) => status === 'ACTIVE' && lacksFieldsOf(findDirectory(directoryType)))
      .map(({ directoryType }) => directoryType),
    ...known.feedback,
    suggestionsPending: known.suggestionsPending,
    lastPosted: known.lastPosted,
    visibilityIndex: location.visibilityIndex,
    ratings: location.ratingsCount,
    averageRating: location.ratingsCount > 0 ? location.ratingsSum / location.ratingsCount : null,
  };
}

/** Locations that are at work, or are to be: of the others nobody asks anything. */
export const isAtWork = ({ status }: Pick<LocationFacts, 'status'>) =>
  status === 'CREATED' || status === 'ACTIVE' || status === 'NEEDS_REVIEW';

/** Whether it has a page that posts can be published on. */
export const canPost = ({ listings }: Pick<LocationFacts, 'listings'>) =>
  listings.some(
    ({ directoryType, status, hasPage, connectStatus }) =>
      status === 'ACTIVE' &&
      hasPage &&
      connectStatus !== 'NOT_CONNECTED' &&
      (findDirectory(directoryType)?.supports.socialPosts ?? false),
  );

/** For so long a post counts. */
const postDays = 30;

/** Until when the latest post counts; null when none does any more. */
export function postsUntil({ lastPosted }: Pick<LocationFacts, 'lastPosted'>, now: Date): Date | null {
  if (!lastPosted) return null;
  const until = new Date(lastPosted.getTime() + postDays * 86_400_000);
  return until > now ? until : null;
}
