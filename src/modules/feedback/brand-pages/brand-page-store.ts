import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { type Counted, countRows } from '../../../database/counting.ts';
import { notMoving } from '../../../database/partner-moves.ts';
import { anyOf, db, inSeconds, pageById, raw } from '../../../database/query-builder.ts';
import type { DirectoryBusinessPages } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { lockName, type Transaction } from '../../../database/transaction.ts';
import { inReach, type Reach } from '../../../http/access.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { fieldNames, recordResponse } from '../../../http/record-response.ts';
import {
  claimDueChecksIn,
  type DatapointCheckState,
  type DatapointFeed,
  type NextProgress,
  postponeCheckIn,
  toDatapointFeed,
} from '../../listings/index.ts';

export const BrandPageResponse = Type.Object(
  {
    id: Type.Integer(),
    businessId: Type.Integer(),
    directoryType: Type.String(),
    externalId: Type.String({ description: "The directory's id of the page" }),
    name: Type.String(),
    url: Type.Optional(Type.String()),
    followers: Type.Integer(),
    lastChecked: Type.Optional(Type.String({ description: 'When the datapoints of the page were last read' })),
    dateCreated: Type.String(),
  },
  { title: 'DirectoryBusinessPage', 'x-resource': 'DirectoryBusinessPage' },
);

/** A page of a brand on a directory. It has its own datapoints. */
export type BrandPage = Pick<Selectable<DirectoryBusinessPages>, keyof Static<typeof BrandPageResponse>>;

export const brandPageResponse = (page: BrandPage): Static<typeof BrandPageResponse> =>
  recordResponse(BrandPageResponse, page);

const columns = fieldNames(BrandPageResponse);

interface BrandPageFilter {
  partnerId: number;
  reach: Reach;
  businessIds?: readonly number[] | undefined;
  directoryTypes?: readonly string[] | undefined;
  ids?: readonly number[];
}

const pagesOf = (sql: Sql, partnerId: number) =>
  db(sql).selectFrom('directoryBusinessPages').where('partnerId', '=', partnerId).where('detachedAt', 'is', null);

function matching(sql: Sql, { partnerId, reach, businessIds, directoryTypes, ids }: BrandPageFilter) {
  let pages = pagesOf(sql, partnerId);
  if (businessIds) pages = pages.where('businessId', '=', anyOf(businessIds, 'bigint'));
  if (directoryTypes) pages = pages.where('directoryType', '=', anyOf(directoryTypes, 'text'));
  if (ids) pages = pages.where('id', '=', anyOf(ids, 'bigint'));
  return inReach(pages, reach, { business: 'businessId' });
}

export function listBrandPages(sql: Sql, filter: BrandPageFilter, page: PageQuery): Promise<BrandPage[]> {
  return pageById(matching(sql, filter).select(columns), page).execute();
}

export const countBrandPages = (sql: Sql, filter: BrandPageFilter): Promise<Counted> =>
  countRows(sql, {
    table: 'directoryBusinessPages',
    partnerId: filter.partnerId,
    rows: matching(sql, filter),
    all: pagesOf(sql, filter.partnerId),
  });

/**
 * Adds and updates the pages, except those of another business: the first one keeps a page, because a name is no proof
 * of ownership. Returns the ids of pages that were inserted.
 */
export async function upsertBrandPages(
  transaction: Transaction,
  { partnerId, id: businessId }: { partnerId: number; id: number },
  directoryType: string,
  found: readonly { externalId: string; name: string; url?: string | undefined; followers: number }[],
): Promise<number[]> {
  if (found.length === 0) return [];
  await lockName(transaction, `brand pages of ${directoryType}`);
  const pages = await run(transaction, upsert, [partnerId, businessId, directoryType, JSON.stringify(found)]);
  return pages.filter(({ isNew }) => isNew).map(({ id }) => id);
}

const upsert = defineStatement<{ id: number; isNew: boolean }>({
  name: 'upsert-brand-pages',
  text: `insert into directory_business_pages as page
           (partner_id, business_id, directory_type, external_id, name, url, followers)
         select $1, $2, $3, found.* from (
           select distinct on ("externalId") *
           from jsonb_to_recordset($4::jsonb) as given ("externalId" text, name text, url text, followers integer)
         ) as found
         where not exists (
           select from directory_business_pages as other
           where other.directory_type = $3 and other.external_id = found."externalId" and other.detached_at is null
             and other.business_id <> $2
         )
         on conflict (business_id, directory_type, external_id) do update
           set name = excluded.name, url = excluded.url, followers = excluded.followers, missing_since = null,
             detached_at = null,
             datapoints_due = case when page.detached_at is null then page.datapoints_due else now() end
         returning id, xmax = 0 as is_new`,
  columns: { id: 'int8', isNew: 'bool' },
});

/**
 * Detaches pages that discoveries at least 15 minutes apart did not return: directories sometimes return incomplete
 * lists. Returns their ids.
 */
export async function detachMissingPages(
  sql: Sql,
  businessId: number,
  directoryType: string,
  foundIds: readonly string[],
): Promise<number[]> {
  const missing = await db(sql)
    .updateTable('directoryBusinessPages')
    .set(({ ref }) => ({
      missingSince: raw<Date>`coalesce(${ref('missingSince')}, now())`,
      detachedAt: raw<Date | null>`case when ${ref('missingSince')} < now() - interval '15 minutes' then now() end`,
    }))
    .where('businessId', '=', businessId)
    .where('directoryType', '=', directoryType)
    .where('detachedAt', 'is', null)
    .where(({ not, eb }) => not(eb('externalId', '=', anyOf(foundIds, 'text'))))
    .returning(['id', 'detachedAt'])
    .execute();
  return missing.filter(({ detachedAt }) => detachedAt !== null).map(({ id }) => id);
}

/** Returns the ids of the pages that were detached. */
export async function detachPagesOf(sql: Sql, businessId: number): Promise<number[]> {
  const detached = await db(sql)
    .updateTable('directoryBusinessPages')
    .set({ detachedAt: raw<Date>`now()` })
    .where('businessId', '=', businessId)
    .where('detachedAt', 'is', null)
    .returning('id')
    .execute();
  return detached.map(({ id }) => id);
}

/** Detaches the pages of all deleted businesses. Returns their ids. */
export async function detachPagesOfDeleted(sql: Sql): Promise<number[]> {
  const detached = await db(sql)
    .updateTable('directoryBusinessPages as page')
    .from('businesses')
    .set({ detachedAt: raw<Date>`now()` })
    .whereRef('businesses.id', '=', 'page.businessId')
    .where('businesses.status', '=', 'DELETED')
    .where('page.detachedAt', 'is', null)
    .where(notMoving('page.partner_id'))
    .returning('page.id')
    .execute();
  return detached.map(({ id }) => id);
}

export async function findPageFeed(sql: Sql, pageId: number): Promise<DatapointFeed | undefined> {
  const page = await db(sql)
    .selectFrom('directoryBusinessPages as page')
    .innerJoin('salesPartners as partner', 'partner.id', 'page.partnerId')
    .select([
      'page.id',
      'partner.id as partnerId',
      'partner.identifier as partnerIdentifier',
      'page.businessId',
      'page.directoryType',
      'page.externalId',
      'page.datapointCursor as cursor',
      'page.datapointsDoubted as doubtedSince',
    ])
    .select(({ cast }) => cast<string | null>('page.lastChecked', 'text').as('stamp'))
    .select(({ eb }) => eb('page.detachedAt', 'is not', null).$castTo<boolean>().as('isDetached'))
    .select(raw<Date>`now()`.as('readAt'))
    .where('page.id', '=', pageId)
    .executeTakeFirst();
  return page && toDatapointFeed('page', { ...page, locationId: null, linkLoss: null, isRelinked: false });
}

/** Returns false if another check was recorded, or the page was detached, in the meantime. */
export async function advancePageCursor(
  sql: Sql,
  { id, businessId, isDetached, progress }: Pick<DatapointFeed, 'id' | 'businessId' | 'isDetached' | 'progress'>,
  next: NextProgress,
): Promise<boolean> {
  // Lock order: the deletion of a business locks the business first, then its pages.
  await db(sql).selectFrom('businesses').where('id', '=', businessId).forKeyShare().execute();
  const { numUpdatedRows } = await db(sql)
    .updateTable('directoryBusinessPages')
    .set({
      datapointCursor: next.cursor,
      datapointsDoubted: next.doubtedSince,
      datapointsDue: inSeconds(next.dueSeconds),
      lastChecked: raw<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .where('detachedAt', isDetached ? 'is not' : 'is', null)
    .where(({ cast }) => cast<string | null>('lastChecked', 'text'), 'is not distinct from', progress.stamp)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function findPageCheckState(sql: Sql, pageId: number): Promise<DatapointCheckState | undefined> {
  const state = await db(sql)
    .selectFrom('directoryBusinessPages')
    .select('lastChecked as checkedAt')
    .select(({ eb }) => eb('detachedAt', 'is', null).$castTo<boolean>().as('isCurrent'))
    .where('id', '=', pageId)
    .executeTakeFirst();
  return state && { ...state, isLinkLost: false };
}

export const postponePageCheck = (sql: Sql, pageId: number, seconds: number): Promise<void> =>
  postponeCheckIn(sql, 'directoryBusinessPages', pageId, seconds);

export const claimDuePageChecks = (sql: Sql, limit: number, nextSeconds: number): Promise<number[]> =>
  claimDueChecksIn(sql, 'directoryBusinessPages', limit, nextSeconds);
