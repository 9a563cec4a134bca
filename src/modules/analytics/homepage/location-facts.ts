import type { Sql } from '../../../database/connection.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { type Directory, directoryList, findDirectory, missingFields } from '../../directories/index.ts';
import type { Listing } from '../../listings/index.ts';
import {
  findLocations,
  type Location,
  type LocationStatus,
  listingProfileOf,
  missingFieldsOf,
} from '../../locations/index.ts';

/** Listing data for the homepage, without duplicates. */
interface ListingFacts extends Pick<Listing, 'directoryType' | 'syncStatus' | 'status' | 'connectStatus'> {
  hasPage: boolean;
}

interface FeedbackFacts {
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

const noFeedback: FeedbackFacts = { reviews: 0, reviewsAnswered: 0, messages: 0, messagesAnswered: 0, unread: 0 };

function profileFactsOf(location: Location, listings: readonly ListingFacts[]) {
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
    listings,
    directoriesLackingFields: listings
      .filter(({ status, directoryType }) => status === 'ACTIVE' && lacksFieldsOf(findDirectory(directoryType)))
      .map(({ directoryType }) => directoryType),
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

const replyDirectories = directoryList.filter(({ supports }) => supports.replies).map(({ type }) => type);

/** Excludes deleted locations. Reads each table once for many locations, instead of once per location. */
export async function readLocationFacts(sql: Sql, partnerId: number, ids: readonly number[]): Promise<LocationFacts[]> {
  const [locations, listings, feedback, suggested, posted] = await Promise.all([
    findLocations(sql, partnerId, ids),
    run(sql, listingFacts, [ids]),
    run(sql, feedbackFacts, [ids, replyDirectories]),
    run(sql, suggestedLocations, [ids]),
    run(sql, lastPosts, [ids]),
  ]);
  const listingsById = Map.groupBy(listings, ({ locationId }) => locationId);
  const feedbackById = new Map(feedback.map((facts) => [facts.locationId, facts]));
  const suggestedIds = new Set(suggested.map(({ locationId }) => locationId));
  const postedById = new Map(posted.map(({ locationId, lastPosted }) => [locationId, lastPosted]));
  return locations
    .filter(({ status }) => status !== 'DELETED')
    .map((location) => ({
      ...(feedbackById.get(location.id) ?? noFeedback),
      ...profileFactsOf(location, listingsById.get(location.id) ?? []),
      suggestionsPending: suggestedIds.has(location.id),
      lastPosted: postedById.get(location.id) ?? null,
    }));
}

const listingFacts = defineStatement<ListingFacts & { locationId: number }>({
  name: 'home-listings',
  text: `select location_id, directory_type, sync_status, status, connect_status, external_id is not null as has_page
         from listings where location_id = any ($1::bigint[]) and duplicate_of is null`,
  columns: {
    locationId: 'int8',
    directoryType: 'text',
    syncStatus: 'text',
    status: 'text',
    connectStatus: 'text',
    hasPage: 'bool',
  },
});

// Replies are possible on directories that support them, except to photos and check-ins.
const feedbackFacts = defineStatement<FeedbackFacts & { locationId: number }>({
  name: 'home-feedback',
  text: `select location_id, count(*) filter (where not read) as unread,
           count(*) filter (where accepts_replies and type = 'REVIEW') as reviews,
           count(*) filter (where accepts_replies and type = 'REVIEW' and replied) as reviews_answered,
           count(*) filter (where accepts_replies and type <> 'REVIEW') as messages,
           count(*) filter (where accepts_replies and type <> 'REVIEW' and replied) as messages_answered
         from (
           select location_id, type, read, replied,
             directory_type = any ($2::text[]) and type not in ('PHOTO', 'CHECKIN') as accepts_replies
           from datapoints where location_id = any ($1::bigint[]) and status = 'VALID'
         ) as datapoints
         group by location_id`,
  columns: {
    locationId: 'int8',
    unread: 'int8',
    reviews: 'int8',
    reviewsAnswered: 'int8',
    messages: 'int8',
    messagesAnswered: 'int8',
  },
});

const suggestedLocations = defineStatement<{ locationId: number }>({
  name: 'home-suggested',
  text: `select distinct location_id from suggestions where location_id = any ($1::bigint[]) and status = 'PENDING'`,
  columns: { locationId: 'int8' },
});

const lastPosts = defineStatement<{ locationId: number; lastPosted: Date }>({
  name: 'home-posted',
  text: `select location_id, max(published_at) as last_posted from social_post_publications
         where location_id = any ($1::bigint[]) and published_at is not null group by location_id`,
  columns: { locationId: 'int8', lastPosted: 'timestamptz' },
});
