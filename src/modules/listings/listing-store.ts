import { addCursorCondition, type Conditions, orderBy } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countMatching } from '../../database/counting.ts';
import type { Transaction } from '../../database/transaction.ts';
import { findDirectory } from '../directories/index.ts';
import type { CountedListing, Listing, UpdateResult, UpdateStatus } from './listing.ts';

const columnOf = {
  id: 'id',
  partnerId: 'partner_id',
  locationId: 'location_id',
  directoryType: 'directory_type',
  externalId: 'external_id',
  url: 'url',
  wasLinked: 'had_page',
  claimStatus: 'claim_status',
  flowStatus: 'flow_status',
  syncStatus: 'sync_status',
  status: 'status',
  connectStatus: 'connect_status',
  fields: 'fields',
  matchingFields: 'matching_fields',
  comparableFields: 'comparable_fields',
  duplicateOf: 'duplicate_of',
  suppressedAt: 'suppressed_at',
  notBefore: 'not_before',
  checkedRevision: 'checked_revision',
  attemptedRevision: 'tried_revision',
  submittedRevision: 'submitted_revision',
  submitted: 'submitted',
  submissionRequested: 'submission_requested',
  submissionRound: 'submission_round',
  underReview: 'under_review',
  flowHeld: 'flow_held',
  linkHeld: 'link_held',
  failedChecks: 'failed_checks',
  lastChecked: 'last_checked',
  lastSuccessfulUpdate: 'last_successful_update',
  dateCreated: 'date_created',
} as const satisfies Record<keyof Listing, string>;

export const listingColumns = Object.entries(columnOf)
  .map(([name, column]) => `listings.${column} as "${name}"`)
  .join(', ');

/** For background work: not limited to a partner. */
export async function findListingById(sql: Sql, id: number): Promise<Listing | undefined> {
  const { rows } = await sql.query<Listing>({
    name: 'find-listing',
    text: `select ${listingColumns} from listings where id = $1`,
    values: [id],
  });
  return rows[0];
}

/** Originals first, then duplicates. */
export async function listingsOfLocation(sql: Sql, locationId: number): Promise<Listing[]> {
  const { rows } = await sql.query<Listing>({
    name: 'listings-of-location',
    text: `select ${listingColumns} from listings where location_id = $1 order by duplicate_of nulls first, id`,
    values: [locationId],
  });
  return rows;
}

/** The listings that count towards the figures of a location. */
export async function countedListings(sql: Sql, locationId: number): Promise<CountedListing[]> {
  const { rows } = await sql.query<CountedListing>({
    name: 'counted-listings',
    text: `select directory_type as "directoryType", sync_status as "syncStatus",
             matching_fields as "matchingFields", comparable_fields as "comparableFields"
           from listings where location_id = $1 and duplicate_of is null and flow_status <> 'INACTIVE'`,
    values: [locationId],
  });
  return rows;
}

export async function duplicatesOf(sql: Sql, listingId: number): Promise<Listing[]> {
  const { rows } = await sql.query<Listing>(
    `select ${listingColumns} from listings where duplicate_of = $1 order by id`,
    [listingId],
  );
  return rows;
}

/** Creates missing listings, one per directory. Returns all listings of the location. */
export async function ensureListings(
  transaction: Transaction,
  partnerId: number,
  locationId: number,
  directoryTypes: readonly string[],
): Promise<Listing[]> {
  await transaction.query({
    name: 'ensure-listings',
    text: `insert into listings (partner_id, location_id, directory_type, connect_status)
           select $1, $2, directory.type,
             case when directory.needs_connection then 'NOT_CONNECTED' else 'NOT_NEEDED' end
           from unnest($3::text[], $4::boolean[]) as directory (type, needs_connection)
           on conflict (location_id, directory_type) where duplicate_of is null do nothing`,
    values: [
      partnerId,
      locationId,
      directoryTypes,
      directoryTypes.map((type) => findDirectory(type)?.needsConnection ?? false),
    ],
  });
  return listingsOfLocation(transaction, locationId);
}

/** Finds or creates the duplicate with this external id. */
export async function ensureDuplicate(
  transaction: Transaction,
  original: Listing,
  page: { externalId: string; url: string | null },
): Promise<Listing> {
  await transaction.query(
    `insert into listings (partner_id, location_id, directory_type, connect_status, duplicate_of, external_id, url,
       had_page)
     values ($1, $2, $3, $4, $5, $6, $7, true)
     on conflict (location_id, directory_type, external_id) where duplicate_of is not null do nothing`,
    [
      original.partnerId,
      original.locationId,
      original.directoryType,
      original.connectStatus,
      original.id,
      page.externalId,
      page.url,
    ],
  );
  const { rows } = await transaction.query<Listing>(
    `select ${listingColumns} from listings
     where location_id = $1 and directory_type = $2 and external_id = $3 and duplicate_of is not null`,
    [original.locationId, original.directoryType, page.externalId],
  );
  return rows[0] as Listing;
}

export type ListingChange = Partial<
  Omit<Listing, 'id' | 'partnerId' | 'locationId' | 'directoryType' | 'dateCreated' | 'duplicateOf'>
>;

export async function changeListing(sql: Sql, id: number, change: ListingChange): Promise<void> {
  const given = Object.entries({ ...change, ...(change.externalId && { wasLinked: true }) }) as [
    keyof ListingChange,
    unknown,
  ][];
  if (given.length === 0) return;
  const assignments = given.map(([name], index) => `${columnOf[name]} = $${index + 2}`);
  await sql.query(`update listings set ${assignments.join(', ')} where id = $1`, [
    id,
    ...given.map(([name, value]) => (name === 'fields' || name === 'submitted' ? jsonOf(value) : value)),
  ]);
}

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** The external ids that are linked to another location, of any partner. */
export async function externalIdsLinkedElsewhere(
  sql: Sql,
  { directoryType, locationId }: Pick<Listing, 'directoryType' | 'locationId'>,
  externalIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (externalIds.length === 0) return new Set();
  const { rows } = await sql.query<{ id: string }>(
    `select external_id as id from listings
     where directory_type = $1 and external_id = any ($2) and location_id <> $3`,
    [directoryType, externalIds, locationId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Serializes writes to the listings of a location, because its figures depend on all of them. */
export async function lockListingsOf(transaction: Transaction, locationId: number): Promise<void> {
  await transaction.query({
    name: 'lock-listings',
    text: `select pg_advisory_xact_lock(hashtextextended('listings of location ' || $1::bigint, 0))`,
    values: [locationId],
  });
}

/**
 * Serializes linking of these external ids across locations. To avoid deadlocks: once per transaction, after
 * lockListingsOf, in key order.
 */
export async function lockExternalIds(
  transaction: Transaction,
  directoryType: string,
  externalIds: readonly (string | null | undefined)[],
): Promise<void> {
  await transaction.query({
    name: 'lock-pages',
    text: `select pg_advisory_xact_lock(key) from (
             select distinct hashtextextended('page of ' || $1 || ' ' || page, 0) as key
             from unnest($2::text[]) as page where page is not null order by key
           ) as pages`,
    values: [directoryType, externalIds],
  });
}

export const listingSorts = ['id', 'directoryType', 'syncStatus', 'flowStatus'] as const;

interface ListingPage {
  offset: number;
  limit: number;
  after?: number;
  sort?: (typeof listingSorts)[number];
  descending?: boolean;
}

export async function listListings(sql: Sql, conditions: Conditions, page: ListingPage): Promise<Listing[]> {
  const { sort = 'id', descending = false, after } = page;
  const by = `listings.${columnOf[sort]}`;
  const order = { by, id: 'listings.id', descending };
  addCursorCondition(conditions, order, 'listings', after);
  const { rows } = await sql.query<Listing>(
    `select ${listingColumns} from listings ${conditions.where}
     order by ${orderBy(order)} offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export function countListings(sql: Sql, conditions: Conditions): Promise<Counted> {
  return countMatching(sql, 'listings', conditions);
}

interface DirectoryCounts {
  directoryType: string;
  listings: number;
  inSync: number;
  notInSync: number;
  notFound: number;
  technicalProblems: number;
  actionRequired: number;
}

export async function countByDirectory(sql: Sql, conditions: Conditions): Promise<DirectoryCounts[]> {
  const { rows } = await sql.query<DirectoryCounts>(
    `select directory_type as "directoryType", count(*) as listings,
       count(*) filter (where sync_status = 'IN_SYNC') as "inSync",
       count(*) filter (where sync_status = 'NOT_IN_SYNC') as "notInSync",
       count(*) filter (where sync_status = 'NOT_FOUND') as "notFound",
       count(*) filter (where sync_status = 'TECHNICAL_PROBLEMS') as "technicalProblems",
       count(*) filter (where flow_status in ('WAITING_USER_ACTION', 'NEEDS_REVIEW')) as "actionRequired"
     from listings ${conditions.where} group by directory_type order by listings desc, directory_type`,
    conditions.values,
  );
  return rows;
}

/** Result of one submission attempt. */
export interface SubmissionResult {
  result: UpdateResult;
  updateStatus: UpdateStatus | null;
  messages: string[];
}

export interface SubmissionRecord extends SubmissionResult {
  id: number;
  submittedAt: Date;
}

export async function insertSubmission(
  sql: Sql,
  listingId: number,
  { result, updateStatus, messages }: SubmissionResult,
): Promise<void> {
  await sql.query({
    name: 'insert-submission',
    text: 'insert into listing_submissions (listing_id, result, update_status, messages) values ($1, $2, $3, $4)',
    values: [listingId, result, updateStatus, messages],
  });
}

/** Newest first. */
export async function listSubmissions(
  sql: Sql,
  conditions: Conditions,
  page: { offset: number; limit: number },
): Promise<SubmissionRecord[]> {
  const { rows } = await sql.query<SubmissionRecord>(
    `select id, submitted_at as "submittedAt", result, update_status as "updateStatus", messages
     from listing_submissions ${conditions.where}
     order by id desc offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

export function countSubmissions(sql: Sql, conditions: Conditions): Promise<Counted> {
  return countMatching(sql, 'listing_submissions', conditions, 'listing_id = $1');
}
