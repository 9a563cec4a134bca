import type { SelectQueryBuilder } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countRows } from '../../database/counting.ts';
import { afterRow, db, inOrder, raw } from '../../database/query-builder.ts';
import type { DB } from '../../database/schema.ts';
import { defineStatement, run, type Statement, selectionOf, textList } from '../../database/statement.ts';
import { lockName, type Transaction } from '../../database/transaction.ts';
import type { PageQuery } from '../../http/pagination.ts';
import { findDirectory } from '../directories/index.ts';
import {
  actionRequiredFlows,
  type CountedListing,
  type Listing,
  type ListingEnums,
  sameColumns,
  type UpdateResult,
  type UpdateStatus,
  uncountedFlows,
} from './listing.ts';

const sameNames = Object.keys(sameColumns) as (keyof typeof sameColumns)[];

export const listingColumns: Statement<Listing>['columns'] = {
  ...sameColumns,
  wasLinked: 'bool',
  attemptedRevision: 'int4',
  fields: 'jsonb',
  submitted: 'jsonb',
};

/** The select list for `listingColumns`. */
export const listingSelection = `${selectionOf(sameColumns)},
  had_page as was_linked, tried_revision as attempted_revision, fields, submitted`;

/** For background work: not limited to a partner. */
export async function findListingById(sql: Sql, id: number): Promise<Listing | undefined> {
  const [listing] = await run(sql, listingById, [id]);
  return listing;
}

const listingById = defineStatement<Listing>({
  name: 'find-listing',
  text: `select ${listingSelection} from listings where id = $1`,
  columns: listingColumns,
});

/** Originals first, then duplicates. */
export const listingsOfLocation = (sql: Sql, locationId: number): Promise<Listing[]> =>
  run(sql, allOfLocation, [locationId]);

const allOfLocation = defineStatement<Listing>({
  name: 'listings-of-location',
  text: `select ${listingSelection} from listings where location_id = $1 order by duplicate_of nulls first, id`,
  columns: listingColumns,
});

/** The other listings that count towards the figures of the location. */
export const otherCountedListings = (
  sql: Sql,
  { id, locationId }: Pick<Listing, 'id' | 'locationId'>,
): Promise<CountedListing[]> => run(sql, countedOfLocation, [locationId, id]);

const countedOfLocation = defineStatement<CountedListing>({
  name: 'counted-listings',
  text: `select directory_type, sync_status, matching_fields, comparable_fields
         from listings where location_id = $1 and id <> $2 and duplicate_of is null
           and flow_status not in ${textList(uncountedFlows)}`,
  columns: { directoryType: 'text', syncStatus: 'text', matchingFields: 'int2', comparableFields: 'int2' },
});

export const duplicatesOf = (sql: Sql, listingId: number): Promise<Listing[]> => run(sql, duplicates, [listingId]);

const duplicates = defineStatement<Listing>({
  name: 'duplicates-of-listing',
  text: `select ${listingSelection} from listings where duplicate_of = $1 order by id`,
  columns: listingColumns,
});

/** Creates missing listings, one per directory. Returns all listings of the location. */
export async function ensureListings(
  transaction: Transaction,
  partnerId: number,
  locationId: number,
  directoryTypes: readonly string[],
): Promise<Listing[]> {
  const needsConnection = directoryTypes.map((type) => findDirectory(type)?.needsConnection ?? false);
  await run(transaction, insertMissing, [partnerId, locationId, directoryTypes, needsConnection]);
  return listingsOfLocation(transaction, locationId);
}

const insertMissing = defineStatement({
  name: 'ensure-listings',
  text: `insert into listings (partner_id, location_id, directory_type, connect_status)
         select $1, $2, directory.type,
           case when directory.needs_connection then 'NOT_CONNECTED' else 'NOT_NEEDED' end
         from unnest($3::text[], $4::boolean[]) as directory (type, needs_connection)
         on conflict (location_id, directory_type) where duplicate_of is null do nothing`,
});

/** Finds or creates the duplicate with this external id. */
export async function ensureDuplicate(
  transaction: Transaction,
  { id, partnerId, locationId, directoryType, connectStatus }: Listing,
  { externalId, url }: { externalId: string; url: string | null },
): Promise<Listing> {
  const values = [partnerId, locationId, directoryType, connectStatus, id, externalId, url];
  await run(transaction, insertDuplicate, values);
  const [duplicate] = await run(transaction, duplicateByExternalId, [locationId, directoryType, externalId]);
  return duplicate as Listing;
}

const insertDuplicate = defineStatement({
  name: 'insert-duplicate-listing',
  text: `insert into listings (partner_id, location_id, directory_type, connect_status, duplicate_of, external_id, url,
           had_page)
         values ($1, $2, $3, $4, $5, $6, $7, true)
         on conflict (location_id, directory_type, external_id) where duplicate_of is not null do nothing`,
});

const duplicateByExternalId = defineStatement<Listing>({
  name: 'find-duplicate-listing',
  text: `select ${listingSelection} from listings
         where location_id = $1 and directory_type = $2 and external_id = $3 and duplicate_of is not null`,
  columns: listingColumns,
});

export type ListingChange = Partial<
  Omit<Listing, 'id' | 'partnerId' | 'locationId' | 'directoryType' | 'dateCreated' | 'duplicateOf'>
>;

export async function changeListing(sql: Sql, id: number, change: ListingChange): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const { wasLinked, attemptedRevision, fields, submitted, ...same } = change;
  await db(sql)
    .updateTable('listings')
    .set({
      ...same,
      ...(wasLinked !== undefined && { hadPage: wasLinked }),
      ...(change.externalId && { hadPage: true }),
      ...(attemptedRevision !== undefined && { triedRevision: attemptedRevision }),
      ...(fields && { fields: JSON.stringify(fields) }),
      ...(submitted !== undefined && { submitted: submitted && JSON.stringify(submitted) }),
    })
    .where('id', '=', id)
    .execute();
}

/** The external ids that are linked to another location, of any partner. */
export async function externalIdsLinkedElsewhere(
  sql: Sql,
  { directoryType, locationId }: Pick<Listing, 'directoryType' | 'locationId'>,
  externalIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (externalIds.length === 0) return new Set();
  const linked = await run(sql, linkedElsewhere, [directoryType, externalIds, locationId]);
  return new Set(linked.map(({ externalId }) => externalId));
}

const linkedElsewhere = defineStatement<{ externalId: string }>({
  name: 'external-ids-linked-elsewhere',
  text: `select external_id from listings
         where directory_type = $1 and external_id = any ($2) and location_id <> $3`,
  columns: { externalId: 'text' },
});

/** `externalIdsLinkedElsewhere` after `lockExternalIds`, in one round trip. */
export async function lockLinksElsewhere(
  transaction: Transaction,
  listing: Pick<Listing, 'directoryType' | 'locationId'>,
  externalIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const [, linked] = await Promise.all([
    lockExternalIds(transaction, listing.directoryType, externalIds),
    externalIdsLinkedElsewhere(transaction, listing, externalIds),
  ]);
  return linked;
}

/** Serializes writes to the listings of a location, because its figures depend on all of them. */
export async function lockListingsOf(transaction: Transaction, locationId: number): Promise<void> {
  await lockName(transaction, `listings of location ${locationId}`);
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
  if (externalIds.length === 0) return;
  await run(transaction, lockPages, [directoryType, externalIds]);
}

const lockPages = defineStatement({
  name: 'lock-pages',
  text: `select from (
           select distinct hashtextextended('page of ' || $1 || ' ' || page, 0) as key
           from unnest($2::text[]) as page where page is not null order by key
         ) as pages cross join lateral pg_advisory_xact_lock(key)`,
});

/** Listings of one partner. */
type ListingQuery = SelectQueryBuilder<DB, 'listings', object>;

export const listingSorts = [
  'id',
  'directoryType',
  'syncStatus',
  'flowStatus',
] as const satisfies (keyof DB['listings'])[];

interface ListingPage extends PageQuery {
  sort?: (typeof listingSorts)[number];
  descending?: boolean;
}

/** Returns up to max + 1 rows, to detect whether another page follows. */
export function listListings(
  listings: ListingQuery,
  partnerId: number,
  { sort = 'id', descending = false, offset, max, after }: ListingPage,
): Promise<Listing[]> {
  const order = { by: sort === 'id' ? undefined : raw.ref(sort), descending };
  const page = after === undefined ? listings : listings.where(afterRow('listings', order, partnerId, after));
  return inOrder(page, order)
    .select(sameNames)
    .select(['hadPage as wasLinked', 'triedRevision as attemptedRevision'])
    .select(({ ref }) => [
      raw<Listing['fields']>`${ref('fields')}`.as('fields'),
      raw<Listing['submitted']>`${ref('submitted')}`.as('submitted'),
    ])
    .offset(offset)
    .limit(max + 1)
    .$narrowType<ListingEnums>()
    .execute();
}

export const countListings = (sql: Sql, partnerId: number, listings: ListingQuery): Promise<Counted> =>
  countRows(sql, {
    table: 'listings',
    partnerId,
    rows: listings,
    all: db(sql).selectFrom('listings').where('partnerId', '=', partnerId),
  });

/** Without listings that are inactive or removed. */
export function countByDirectory(listings: ListingQuery) {
  return listings
    .where('flowStatus', 'not in', uncountedFlows)
    .select(({ fn }) => {
      const count = fn.countAll<number>();
      const inStatus = (status: Listing['syncStatus']) => count.filterWhere('syncStatus', '=', status);
      return [
        'directoryType',
        count.as('listings'),
        inStatus('IN_SYNC').as('inSync'),
        inStatus('NOT_IN_SYNC').as('notInSync'),
        inStatus('NOT_FOUND').filterWhere('flowStatus', '<>', 'NOT_SUPPORTED').as('notFound'),
        inStatus('TECHNICAL_PROBLEMS').as('technicalProblems'),
        count.filterWhere('flowStatus', 'in', actionRequiredFlows).as('actionRequired'),
      ];
    })
    .groupBy('directoryType')
    .orderBy('listings', 'desc')
    .orderBy('directoryType')
    .execute();
}

/** Result of one submission attempt. */
export interface SubmissionResult {
  result: UpdateResult;
  updateStatus: UpdateStatus | null;
  messages: string[];
}

export async function insertSubmission(
  sql: Sql,
  listingId: number,
  { result, updateStatus, messages }: SubmissionResult,
): Promise<void> {
  await run(sql, insertion, [listingId, result, updateStatus, messages]);
}

const insertion = defineStatement({
  name: 'insert-submission',
  text: 'insert into listing_submissions (listing_id, result, update_status, messages) values ($1, $2, $3, $4)',
});

const submissionsOf = (sql: Sql, listingId: number) =>
  db(sql).selectFrom('listingSubmissions').where('listingId', '=', listingId);

/** Newest first. Returns up to max + 1 rows, to detect whether another page follows. */
export function listSubmissions(sql: Sql, listingId: number, { offset, max, after }: PageQuery) {
  const submissions = submissionsOf(sql, listingId);
  return (after === undefined ? submissions : submissions.where('id', '<', after))
    .select(['id', 'submittedAt as date', 'result as updateResult', 'updateStatus', 'messages'])
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(max + 1)
    .$narrowType<{ updateResult: UpdateResult; updateStatus: UpdateStatus | null }>()
    .execute();
}

export function countSubmissions(sql: Sql, partnerId: number, listingId: number): Promise<Counted> {
  const rows = submissionsOf(sql, listingId);
  return countRows(sql, { table: 'listingSubmissions', partnerId, rows, all: rows });
}
