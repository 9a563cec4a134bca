import type { Sql } from '../../../database/connection.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { directoryList } from '../../directories/index.ts';
import { findLocations } from '../../locations/index.ts';
import { type FeedbackFacts, factsOf, type ListingFacts, type LocationFacts, noFeedback } from './location-facts.ts';

/** Reads each table once for many locations, instead of once per location. */

const replyDirectories = directoryList.filter(({ supports }) => supports.replies).map(({ type }) => type);

/** Excludes deleted locations. */
export async function readLocationFacts(sql: Sql, partnerId: number, ids: readonly number[]): Promise<LocationFacts[]> {
  const [locations, listings, feedback, suggested, posted] = await Promise.all([
    findLocations(sql, partnerId, ids),
    readListings(sql, ids),
    readFeedback(sql, ids),
    readSuggested(sql, ids),
    readPosted(sql, ids),
  ]);
  return locations
    .filter(({ status }) => status !== 'DELETED')
    .map((location) =>
      factsOf(location, {
        listings: listings.get(location.id) ?? [],
        feedback: feedback.get(location.id) ?? noFeedback,
        suggestionsPending: suggested.has(location.id),
        lastPosted: posted.get(location.id) ?? null,
      }),
    );
}

async function readListings(sql: Sql, ids: readonly number[]): Promise<Map<number, ListingFacts[]>> {
  return Map.groupBy(await run(sql, listingFacts, [ids]), ({ locationId }) => locationId);
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

async function readFeedback(sql: Sql, ids: readonly number[]): Promise<Map<number, FeedbackFacts>> {
  const found = await run(sql, feedbackFacts, [ids, replyDirectories]);
  return new Map(found.map(({ locationId, ...facts }) => [locationId, facts]));
}

// Replies are possible on directories that support them, except to photos and check-ins.
const feedbackFacts = defineStatement<FeedbackFacts & { locationId: number }>({
  name: 'home-feedback',
  text: `select location_id, count(*) filter (where not read) as unread,
           count(*) filter (where is_answerable and type = 'REVIEW') as reviews,
           count(*) filter (where is_answerable and type = 'REVIEW' and replied) as reviews_answered,
           count(*) filter (where is_answerable and type <> 'REVIEW') as messages,
           count(*) filter (where is_answerable and type <> 'REVIEW' and replied) as messages_answered
         from (
           select location_id, type, read, replied,
             directory_type = any ($2::text[]) and type not in ('PHOTO', 'CHECKIN') as is_answerable
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

async function readSuggested(sql: Sql, ids: readonly number[]): Promise<Set<number>> {
  return new Set((await run(sql, suggestedLocations, [ids])).map(({ locationId }) => locationId));
}

const suggestedLocations = defineStatement<{ locationId: number }>({
  name: 'home-suggested',
  text: `select distinct location_id from suggestions where location_id = any ($1::bigint[]) and status = 'PENDING'`,
  columns: { locationId: 'int8' },
});

async function readPosted(sql: Sql, ids: readonly number[]): Promise<Map<number, Date>> {
  return new Map((await run(sql, lastPosts, [ids])).map(({ locationId, lastPosted }) => [locationId, lastPosted]));
}

const lastPosts = defineStatement<{ locationId: number; lastPosted: Date }>({
  name: 'home-posted',
  text: `select location_id, max(published_at) as last_posted from social_post_publications
         where location_id = any ($1::bigint[]) and published_at is not null group by location_id`,
  columns: { locationId: 'int8', lastPosted: 'timestamptz' },
});
