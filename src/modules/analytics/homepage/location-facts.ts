import { type Directory, findDirectory, missingFields } from '../../directories/index.ts';
import type { Listing } from '../../listings/index.ts';
import { type Location, type LocationStatus, listingProfileOf, missingFieldsOf } from '../../locations/index.ts';

/** Listing data for the homepage, without duplicates. */
export interface ListingFacts extends Pick<Listing, 'directoryType' | 'syncStatus' | 'status' | 'connectStatus'> {
  hasPage: boolean;
}

export interface FeedbackFacts {
  /** Reviews and messages that support replies, and those with a reply. */
  reviews: number;
  reviewsAnswered: number;
  messages: number;
  messagesAnswered: number;
  /** Datapoints of all types. */
  unread: number;
}

/** Input for score, tasks and suggestions. */
export interface LocationFacts extends FeedbackFacts {
  locationId: number;
  businessId: number;
  status: LocationStatus;
  wasSynced: boolean;
  completeness: number;
  /** Missing fields of all levels. */
  lacks: ReadonlySet<string>;
  /** Whether REQUIRED or BASIC fields other than photos are missing. */
  lacksProperties: boolean;
  listings: readonly ListingFacts[];
  /** Directories of the location whose required fields are missing. */
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

/** Tasks and suggestions apply to these statuses only. */
export const isOperating = ({ status }: Pick<LocationFacts, 'status'>) =>
  status === 'CREATED' || status === 'ACTIVE' || status === 'NEEDS_REVIEW';

/** Whether posts can be published on one of the listings. */
export const canPost = ({ listings }: Pick<LocationFacts, 'listings'>) =>
  listings.some(
    ({ directoryType, status, hasPage, connectStatus }) =>
      status === 'ACTIVE' &&
      hasPage &&
      connectStatus !== 'NOT_CONNECTED' &&
      (findDirectory(directoryType)?.supports.socialPosts ?? false),
  );

/** A post counts as recent for this time. */
const postDays = 30;

/** Null if there is no recent post. */
export function postsUntil({ lastPosted }: Pick<LocationFacts, 'lastPosted'>, now: Date): Date | null {
  if (!lastPosted) return null;
  const until = new Date(lastPosted.getTime() + postDays * 86_400_000);
  return until > now ? until : null;
}
