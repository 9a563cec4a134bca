import type { Expression, ExpressionBuilder } from 'kysely';
import type { Sql } from '../../database/connection.ts';
import { countAll } from '../../database/counting.ts';
import { notMoving } from '../../database/partner-moves.ts';
import { anyOf, db, inSeconds, raw } from '../../database/query-builder.ts';
import type { DB } from '../../database/schema.ts';
import { defineStatement, run, textList } from '../../database/statement.ts';
import type { DataPointSource, Directory } from '../directories/index.ts';
import { servedStatuses } from '../locations/index.ts';

/** A listing or brand page whose datapoints are read, with the progress. */
export interface DatapointFeed {
  readonly kind: 'listing' | 'page';
  readonly id: number;
  readonly partner: { readonly id: number; readonly identifier: string };
  readonly businessId: number;
  /** Null for a brand page. */
  readonly locationId: number | null;
  readonly directoryType: string;
  /** Null if the listing is not linked. */
  readonly externalId: string | null;
  /** The listing is not linked, its location is deleted, or the brand page is detached: its datapoints are invalid. */
  readonly isDetached: boolean;
  /** Null unless a check of the listing lost its link. `confirmed`: a later check did not find a link either. */
  readonly linkLoss: 'doubted' | 'confirmed' | null;
  readonly progress: CheckProgress;
}

/** How far the datapoints have been read. */
interface CheckProgress {
  readonly cursor: string | null;
  /** Version for optimistic locking: changes with every recorded check. */
  readonly stamp: string | null;
  /** Since when most known datapoints have been missing. */
  readonly doubtedSince: Date | null;
  /** Whether the last check read another directory listing, or there was none. */
  readonly isRelinked: boolean;
  /** When the progress was read, by the clock of the database. */
  readonly readAt: Date;
}

export interface NextProgress extends Pick<CheckProgress, 'cursor' | 'doubtedSince'> {
  /** Delay until the next check. */
  readonly dueSeconds: number;
}

type DatapointFeedRow = Omit<DatapointFeed, 'kind' | 'partner' | 'progress'> &
  CheckProgress & { partnerId: number; partnerIdentifier: string };

export const toDatapointFeed = (
  kind: DatapointFeed['kind'],
  { partnerId, partnerIdentifier, cursor, stamp, doubtedSince, isRelinked, readAt, ...feed }: DatapointFeedRow,
): DatapointFeed => ({
  kind,
  ...feed,
  partner: { id: partnerId, identifier: partnerIdentifier },
  progress: { cursor, stamp, doubtedSince, isRelinked, readAt },
});

/** Undefined if the feed is detached. */
export function toDirectorySource({ kind, externalId, isDetached }: DatapointFeed): DataPointSource | undefined {
  if (isDetached || externalId === null) return undefined;
  return kind === 'listing' ? { listing: externalId } : { brandPage: externalId };
}

/** Undefined for duplicates, and while the location is inactive. */
export async function findListingFeed(sql: Sql, listingId: number): Promise<DatapointFeed | undefined> {
  const [row] = await run(sql, listingFeed, [listingId]);
  return row && toDatapointFeed('listing', row);
}

/** Whether a check lost the link. The user did not remove it, and the location is served. */
const isLinkLost = `(listings.external_id is null and listings.datapoint_cursor_of <> all (listings.unlinked_pages)
  and locations.status in ${textList(servedStatuses)})`;

/** Like `awaitsRecheck`: the last check did not find the listing, which keeps its link until another check. */
const isLossDoubted = `(listings.external_id = listings.datapoint_cursor_of and listings.sync_status = 'NOT_FOUND'
  and listings.checked_revision is not null and listings.claim_status <> 'UNKNOWN' and listings.not_before is not null
  and locations.status in ${textList(servedStatuses)})`;

const listingFeed = defineStatement<DatapointFeedRow>({
  name: 'find-listing-feed',
  // A listing with the flow status INACTIVE is not in the plan and is not checked again.
  text: `select listings.id, partner.id as partner_id, partner.identifier as partner_identifier, locations.business_id,
           locations.id as location_id, listings.directory_type, listings.external_id,
           listings.external_id is null or locations.status = 'DELETED' as is_detached,
           case when ${isLinkLost} then
             case when listings.flow_status = 'INACTIVE'
               or (listings.failed_checks = 0 and listings.last_checked > listings.datapoints_doubted)
             then 'confirmed' else 'doubted' end
           end as link_loss,
           listings.datapoint_cursor_of is distinct from listings.external_id as is_relinked,
           case when listings.datapoint_cursor_of = listings.external_id then listings.datapoint_cursor end as cursor,
           listings.datapoints_checked::text as stamp, listings.datapoints_doubted as doubted_since, now() as read_at
         from listings
         join locations on locations.id = listings.location_id
         join sales_partners partner on partner.id = listings.partner_id
         where listings.id = $1 and listings.duplicate_of is null
           and (listings.external_id is null or locations.status <> 'INACTIVE')`,
  columns: {
    id: 'int8',
    partnerId: 'int8',
    partnerIdentifier: 'text',
    businessId: 'int8',
    locationId: 'int8',
    directoryType: 'text',
    externalId: 'text',
    isDetached: 'bool',
    linkLoss: 'text',
    isRelinked: 'bool',
    cursor: 'text',
    stamp: 'text',
    doubtedSince: 'timestamptz',
    readAt: 'timestamptz',
  },
});

/** Returns false when another check was recorded, or the link changed, since the feed was read. */
export async function advanceCursor(
  sql: Sql,
  { id, externalId, progress }: Pick<DatapointFeed, 'id' | 'externalId' | 'progress'>,
  next: NextProgress,
): Promise<boolean> {
  // While the loss of the link is doubted, the datapoints are those of the lost page, as of the last reading.
  const isLossUnconfirmed = externalId === null && next.doubtedSince !== null;
  const { numUpdatedRows } = await db(sql)
    .updateTable('listings')
    .set({
      ...(!isLossUnconfirmed && { datapointCursorOf: externalId, datapointsChecked: raw<Date>`clock_timestamp()` }),
      datapointCursor: next.cursor,
      datapointsDoubted: next.doubtedSince,
      datapointsDue: inSeconds(next.dueSeconds),
    })
    .where('id', '=', id)
    .where('externalId', 'is not distinct from', externalId)
    .where(({ cast }) => cast<string | null>('datapointsChecked', 'text'), 'is not distinct from', progress.stamp)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export interface DatapointCheckState {
  /** Whether the datapoints are of the directory listing or page that belongs to the partner now. */
  readonly isCurrent: boolean;
  /** A check lost the link or did not find the linked listing, and this is not confirmed yet. */
  readonly isLinkLost: boolean;
  /** When the last check was recorded. Now for an inactive location, which is not checked. */
  readonly checkedAt: Date | null;
}

export function findListingCheckState(sql: Sql, listingId: number): Promise<DatapointCheckState | undefined> {
  return db(sql)
    .selectFrom('listings')
    .innerJoin('locations', 'locations.id', 'listings.locationId')
    .select(
      raw<Date | null>`case when locations.status = 'INACTIVE' then now() else datapoints_checked end`.as('checkedAt'),
    )
    .select(raw.raw<boolean>(`coalesce(${isLinkLost} or ${isLossDoubted}, false)`).as('isLinkLost'))
    .select(
      raw<boolean>`coalesce(listings.external_id = datapoint_cursor_of, false) and locations.status <> 'DELETED'`.as(
        'isCurrent',
      ),
    )
    .where('listings.id', '=', listingId)
    .executeTakeFirst();
}

type FeedTable = 'listings' | 'directoryBusinessPages';

/** Sets the time of the next check of a listing or brand page. */
export async function postponeCheckIn(sql: Sql, table: FeedTable, id: number, seconds: number): Promise<void> {
  await db(sql)
    .updateTable(table)
    .set({ datapointsDue: inSeconds(seconds) })
    .where('id', '=', id)
    .execute();
}

/** Claims due listings or brand pages by moving their due time, so that no other process claims them. */
export async function claimDueChecksIn(
  sql: Sql,
  table: FeedTable,
  limit: number,
  nextSeconds: number,
): Promise<number[]> {
  const claimed = await db(sql)
    .updateTable(table)
    .set({ datapointsDue: inSeconds(nextSeconds) })
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom(table)
        .select('id')
        .where('datapointsDue', '<=', raw<Date>`now()`)
        .where(notMoving('partner_id'))
        .orderBy('datapointsDue')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning('id')
    .execute();
  return claimed.map(({ id }) => id);
}

export const postponeDatapointCheck = (sql: Sql, listingId: number, seconds: number): Promise<void> =>
  postponeCheckIn(sql, 'listings', listingId, seconds);

export const claimDueDatapointChecks = (sql: Sql, limit: number, nextSeconds: number): Promise<number[]> =>
  claimDueChecksIn(sql, 'listings', limit, nextSeconds);

export async function claimDueInsights(
  sql: Sql,
  directoryType: string,
  limit: number,
  nextSeconds: number,
): Promise<number[]> {
  const claimed = await db(sql)
    .updateTable('listings')
    .set({ insightsDue: inSeconds(nextSeconds) })
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('listings')
        .select('id')
        .where('directoryType', '=', directoryType)
        .where('insightsDue', '<=', raw<Date>`now()`)
        .where('externalId', 'is not', null)
        .where('duplicateOf', 'is', null)
        .where(notMoving('partner_id'))
        .orderBy('insightsDue')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning('id')
    .execute();
  return claimed.map(({ id }) => id);
}

export interface InsightProgress {
  listingId: number;
  partnerId: number;
  locationId: number;
  directoryType: string;
  externalId: string;
  /** YYYY-MM-DD: the last day with collected insights. */
  until: string | null;
  /** YYYY-MM: the last month whose keywords were read. */
  keywordsUntil: string | null;
  /** The stored insights are those of another page, to which the listing was linked before. */
  hasOldPage: boolean;
}

const isoDay = (date: Expression<Date | null>) => raw<string | null>`to_char(${date}, 'YYYY-MM-DD')`;

/** Undefined for listings whose insights are not collected. `today`: YYYY-MM-DD by the clock of the database. */
export async function findInsightProgress(
  sql: Sql,
  listingId: number,
): Promise<(InsightProgress & { today: string }) | undefined> {
  const [row] = await run(sql, insightProgress, [listingId]);
  return row;
}

const insightProgress = defineStatement<InsightProgress & { today: string }>({
  name: 'find-insight-progress',
  text: `select listing.id as listing_id, listing.partner_id, listing.location_id, listing.directory_type,
           listing.external_id, page.is_old as has_old_page,
           case when not page.is_old then to_char(listing.insights_until, 'YYYY-MM-DD') end as until,
           case when not page.is_old then to_char(listing.keywords_until, 'YYYY-MM') end as keywords_until,
           to_char(now(), 'YYYY-MM-DD') as today
         from listings listing
         join locations location on location.id = listing.location_id
         cross join lateral (select coalesce(listing.insights_of <> listing.external_id, false) as is_old) as page
         where listing.id = $1 and listing.external_id is not null and listing.duplicate_of is null
           and location.status not in ('INACTIVE', 'DELETED')`,
  columns: {
    listingId: 'int8',
    partnerId: 'int8',
    locationId: 'int8',
    directoryType: 'text',
    externalId: 'text',
    hasOldPage: 'bool',
    until: 'text',
    keywordsUntil: 'text',
    today: 'text',
  },
});

/**
 * Never moves `until` back, because two collections of a listing may finish in any order. Returns false when the link has
 * changed since the progress was read.
 */
export async function advanceInsights(
  sql: Sql,
  { listingId, externalId, hasOldPage }: Pick<InsightProgress, 'listingId' | 'externalId' | 'hasOldPage'>,
  next: { until: string | null; keywordsUntil: string | null; dueSeconds: number },
): Promise<boolean> {
  const advanced = (column: Expression<Date | null>, day: string | null) =>
    hasOldPage ? raw<Date | null>`${day}::date` : raw<Date | null>`greatest(${column}, ${day}::date)`;
  const lastMonth = next.keywordsUntil && `${next.keywordsUntil}-01`;
  const { numUpdatedRows } = await db(sql)
    .updateTable('listings')
    .set('insightsOf', externalId)
    .set('insightsUntil', ({ ref }) => advanced(ref('insightsUntil'), next.until))
    .set('keywordsUntil', ({ ref }) => advanced(ref('keywordsUntil'), lastMonth))
    .set('insightsDue', inSeconds(next.dueSeconds))
    .where('id', '=', listingId)
    .where('externalId', '=', externalId)
    // Of two first collections of a new page, one removes the insights of the old page.
    .where(({ ref }) => raw<boolean>`coalesce(${ref('insightsOf')} <> ${externalId}, false) = ${hasOldPage}::boolean`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function postponeInsights(sql: Sql, listingId: number, seconds: number): Promise<void> {
  await db(sql)
    .updateTable('listings')
    .set({ insightsDue: inSeconds(seconds) })
    .where('id', '=', listingId)
    .execute();
}

export function findInsightStatus(sql: Sql, partnerId: number, listingId: number) {
  return db(sql)
    .selectFrom('listings')
    .innerJoin('locations', 'locations.id', 'listings.locationId')
    .select(['locations.businessId', 'locations.id as locationId', 'listings.directoryType'])
    .select(({ ref }) => isoDay(ref('listings.insightsUntil')).as('insightsUntil'))
    .where('listings.partnerId', '=', partnerId)
    .where('listings.id', '=', listingId)
    .executeTakeFirst();
}

/**
 * Listings that a check has found, on these directories. A listing that was submitted and not checked since has no
 * datapoints to read yet.
 */
function foundOn({ eb, and }: ExpressionBuilder<DB, 'listings'>, directories: readonly Directory[]) {
  const types = directories.map(({ type }) => type);
  return and([
    eb('externalId', 'is not', null),
    eb('syncStatus', 'in', ['IN_SYNC', 'NOT_IN_SYNC']),
    eb('directoryType', '=', anyOf(types, 'text')),
  ]);
}

/** Listings without a first check, and without a first read of datapoints. Rate-limited listings are not counted. */
export function countInitialChecks(
  sql: Sql,
  locationIds: readonly number[],
  directories: readonly Directory[],
): Promise<{ unchecked: number; unread: number }> {
  const withDatapoints = directories.filter(({ dataPointTypes }) => dataPointTypes.length > 0);
  return db(sql)
    .selectFrom('listings')
    .select(({ fn }) => [
      fn
        .countAll<number>()
        .filterWhere('lastChecked', 'is', null)
        .filterWhere(({ eb, or }) => or([eb('notBefore', 'is', null), eb('notBefore', '<=', raw<Date>`now()`)]))
        .as('unchecked'),
      fn
        .countAll<number>()
        .filterWhere((eb) => foundOn(eb, withDatapoints))
        .filterWhere('datapointsChecked', 'is', null)
        .filterWhere('datapointsDue', 'is', null)
        .as('unread'),
    ])
    .where('locationId', '=', anyOf(locationIds, 'bigint'))
    .where('duplicateOf', 'is', null)
    .executeTakeFirstOrThrow();
}

const withoutInsights = (sql: Sql) =>
  db(sql).selectFrom('listings').where('insightsDue', '<=', raw<Date>`now()`).where('insightsUntil', 'is', null);

export async function listingsWithoutInsights(
  sql: Sql,
  locationIds: readonly number[],
  directories: readonly Directory[],
): Promise<number[]> {
  const withInsights = directories.filter(({ supports }) => supports.insights);
  const listings = await withoutInsights(sql)
    .select('id')
    .where('locationId', '=', anyOf(locationIds, 'bigint'))
    .where('duplicateOf', 'is', null)
    .where((eb) => foundOn(eb, withInsights))
    .orderBy('id')
    .execute();
  return listings.map(({ id }) => id);
}

/** How many of these listings still have no insights. */
export const countWithoutInsights = (sql: Sql, listingIds: readonly number[]): Promise<number> =>
  countAll(withoutInsights(sql).where('id', '=', anyOf(listingIds, 'bigint')));
