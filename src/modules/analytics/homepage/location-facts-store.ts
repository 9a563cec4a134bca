import type { Sql } from '../../../database/connection.ts';
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
  const { rows } = await sql.query<ListingFacts & { locationId: number }>({
    name: 'home-listings',
    text: `select location_id as "locationId", directory_type as "directoryType", sync_status as "syncStatus", status,
             connect_status as "connectStatus", external_id is not null as "hasPage"
           from listings where location_id = any ($1::bigint[]) and duplicate_of is null`,
    values: [ids],
  });
  return Map.groupBy(rows, ({ locationId }) => locationId);
}

/** Replies are possible on directories that support them, except to photos and check-ins. */
async function readFeedback(sql: Sql, ids: readonly number[]): Promise<Map<number, FeedbackFacts>> {
  const { rows } = await sql.query<FeedbackFacts & { locationId: number }>({
    name: 'home-feedback',
    text: `select location_id as "locationId", count(*) filter (where not read) as unread,
             count(*) filter (where is_answerable and type = 'REVIEW') as reviews,
             count(*) filter (where is_answerable and type = 'REVIEW' and replied) as "reviewsAnswered",
             count(*) filter (where is_answerable and type <> 'REVIEW') as messages,
             count(*) filter (where is_answerable and type <> 'REVIEW' and replied) as "messagesAnswered"
           from (
             select location_id, type, read, replied,
               directory_type = any ($2::text[]) and type not in ('PHOTO', 'CHECKIN') as is_answerable
             from datapoints where location_id = any ($1::bigint[]) and status = 'VALID'
           ) as datapoints
           group by location_id`,
    values: [ids, replyDirectories],
  });
  return new Map(rows.map(({ locationId, ...facts }) => [locationId, facts]));
}

async function readSuggested(sql: Sql, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql.query<{ locationId: number }>({
    name: 'home-suggested',
    text: `select distinct location_id as "locationId" from suggestions
           where location_id = any ($1::bigint[]) and status = 'PENDING'`,
    values: [ids],
  });
  return new Set(rows.map(({ locationId }) => locationId));
}

async function readPosted(sql: Sql, ids: readonly number[]): Promise<Map<number, Date>> {
  const { rows } = await sql.query<{ locationId: number; lastPosted: Date }>({
    name: 'home-posted',
    text: `select location_id as "locationId", max(published_at) as "lastPosted" from social_post_publications
           where location_id = any ($1::bigint[]) and published_at is not null group by location_id`,
    values: [ids],
  });
  return new Map(rows.map(({ locationId, lastPosted }) => [locationId, lastPosted]));
}
