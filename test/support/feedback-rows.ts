import type { Database } from '../../src/database/connection.ts';
import { ensureListings } from '../../src/modules/listings/listing-store.ts';

/** A location with listings. Feedback is inserted into the database without directories. */
export interface FeedbackLocation {
  partnerId: number;
  businessId: number;
  locationId: number;
  /** By directory. */
  listings: ReadonlyMap<string, number>;
}

export interface FeedbackInput {
  directory?: string;
  type?: string;
  /** A date or a timestamp. */
  at: string;
  rating?: number | null;
  text?: string | null;
  language?: string | null;
  read?: boolean;
  status?: string;
  /** Hours until the reply. */
  repliedAfter?: number | null;
}

let names = 0;

export async function addFeedbackBusiness(database: Database, partnerId: number): Promise<number> {
  const { rows } = await database.pool.query(
    `insert into businesses (partner_id, name, status) values ($1, $2, 'ACTIVE') returning id`,
    [partnerId, `Business ${++names}`],
  );
  return rows[0].id;
}

export async function addFeedbackLocation(
  database: Database,
  partnerId: number,
  businessId: number,
  directories: readonly string[] = ['GOOGLE', 'FACEBOOK'],
): Promise<FeedbackLocation> {
  const { rows } = await database.pool.query(
    `insert into locations (partner_id, business_id, source, status, name, street, city, country)
     values ($1, $2, 'API', 'ACTIVE', $3, 'Hafenstraße', 'Hamburg', 'DE') returning id`,
    [partnerId, businessId, `Location ${++names}`],
  );
  const locationId: number = rows[0].id;
  const listings = await database.transaction((transaction) =>
    ensureListings(transaction, partnerId, locationId, directories),
  );
  const ids = listings.map(({ id, directoryType }) => [directoryType, id] as const);
  return { partnerId, businessId, locationId, listings: new Map(ids) };
}

export async function addFeedback(
  database: Database,
  location: FeedbackLocation,
  input: FeedbackInput,
): Promise<number> {
  const { directory = 'GOOGLE', type = 'REVIEW', at, rating = null, text = null, language = null } = input;
  const actionDate = new Date(at.length === 10 ? `${at}T12:00:00Z` : at);
  const { repliedAfter = null } = input;
  const repliedAt = repliedAfter === null ? null : new Date(actionDate.getTime() + repliedAfter * 3_600_000);
  const { rows } = await database.pool.query(
    `insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, status,
       text, language, rating, author, action_date, thread_action_date, read, owner_replied_at, fingerprint,
       location_deleted)
     select $1, business_id, id, $3, $4, $5, $6, $7, $8, $9, $10, 'Customer', $11::timestamptz, greatest($11::timestamptz, $13::timestamptz), $12,
       $13::timestamptz, '',
       status = 'DELETED'
     from locations where id = $2 returning id`,
    [
      location.partnerId,
      location.locationId,
      location.listings.get(directory),
      directory,
      `feedback-${++names}`,
      type,
      input.status ?? 'VALID',
      text,
      language,
      rating,
      actionDate,
      input.read ?? false,
      repliedAt,
    ],
  );
  return rows[0].id;
}
