import type { RawBuilder } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { notMoving } from '../../../database/partner-moves.ts';
import { db, raw } from '../../../database/query-builder.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { defineJob, type JobContext, type JobImplementation } from '../../../jobs/job.ts';
import { isFault } from '../../directories/index.ts';
import { detachMissingPages, detachPagesOf, detachPagesOfDeleted, upsertBrandPages } from './brand-page-store.ts';

type Discovery = { businessId: number; partnerId: number; requested?: boolean };

export const discoverBrandPages = defineJob<Discovery>('brand-pages.discover', {
  key: ({ businessId, requested }) => `brand-pages.discover-${businessId}${requested ? '-requested' : ''}`,
});

type PageCheck = { pageId: number; partnerId?: number | undefined; confirmsReply?: boolean };

export const checkPageDatapoints = defineJob<PageCheck>('datapoints.check-brand-page', {
  // An earlier check does not replace the one that runs a while after a reply failed.
  key: ({ pageId, confirmsReply }) => `datapoints-page-${pageId}${confirmsReply ? '-confirm' : ''}`,
});

/** A business is queried once a day. */
const intervalHours = 24;
const retryHours = 1;
const batch = 200;

/** Queries the directories in parallel. A fault of one directory does not affect the others. */
async function discover(
  { database, directories, log }: JobContext,
  { businessId, requested = false }: Discovery,
): Promise<void> {
  const business = await findBusinessToDiscover(database.pool, businessId).executeTakeFirst();
  if (!business) return;
  const supporting = directories.list.filter(({ supports }) => supports.brandPages);
  const results = await Promise.all(
    supporting.map(async ({ type }) => ({
      type,
      result: await directories
        .connector(type, { partnerId: business.partnerId, requested })
        .readBrandPages(business.name),
    })),
  );
  for (const { type, result } of results) {
    if (isFault(result)) {
      log.info({ event: 'brand-pages.not-read', businessId, directory: type, ...result });
      continue;
    }
    await database.transaction(async (transaction) => {
      // Locked before its pages: the business may have been deleted since.
      const isDeleted = !(await findBusinessToDiscover(transaction, businessId).forKeyShare().executeTakeFirst());
      if (isDeleted) return;
      const added = await upsertBrandPages(transaction, business, type, result);
      const foundIds = result.map(({ externalId }) => externalId);
      const detached = await detachMissingPages(transaction, businessId, type, foundIds);
      await enqueueChecks(transaction, business.partnerId, [...added, ...detached]);
    });
  }
  if (results.every(({ result }) => !isFault(result)))
    await recordDiscoveries(database.pool, [{ businessId }], hoursAgo(0));
}

const enqueueChecks = (transaction: Transaction, partnerId: number | undefined, pageIds: readonly number[]) =>
  checkPageDatapoints.enqueueMany(
    transaction,
    pageIds.map((pageId) => ({ pageId, partnerId })),
  );

/** Detaches the brand pages of a deleted business, so that another one can have them. */
export async function releaseBrandPages(transaction: Transaction, businessId: number): Promise<void> {
  await enqueueChecks(transaction, undefined, await detachPagesOf(transaction, businessId));
}

export const brandPageJobs: readonly JobImplementation[] = [
  discoverBrandPages.implement((payload, context) => discover(context, payload)),
  defineJob('brand-pages.schedule', { schedule: '*/10 * * * *' }).implement(async (_, { database }) => {
    await database.transaction(async (transaction) => {
      const due = await claimDueBusinesses(transaction);
      await discoverBrandPages.enqueueMany(transaction, due, { maxAttempts: 1 });
      // A process of the previous version deletes a business without detaching its pages.
      await enqueueChecks(transaction, undefined, await detachPagesOfDeleted(transaction));
    });
  }),
];

const findBusinessToDiscover = (sql: Sql, id: number) =>
  db(sql)
    .selectFrom('businesses')
    .select(['id', 'partnerId', 'name'])
    .where('id', '=', id)
    .where('status', '<>', 'DELETED');

/** A failed discovery is repeated after an hour, so that it does not delay the other businesses. */
async function claimDueBusinesses(transaction: Transaction): Promise<Discovery[]> {
  const due = await db(transaction)
    .selectFrom('businesses')
    .leftJoin('brandPageDiscoveries', 'brandPageDiscoveries.businessId', 'businesses.id')
    .select(['businesses.id as businessId', 'businesses.partnerId'])
    .where('businesses.status', '=', 'ACTIVE')
    .where(notMoving('businesses.partner_id'))
    .where(({ eb, or }) => or([eb('discoveredAt', 'is', null), eb('discoveredAt', '<', hoursAgo(intervalHours))]))
    .orderBy('discoveredAt', (order) => order.asc().nullsFirst())
    .orderBy('businesses.id')
    .limit(batch)
    .execute();
  await recordDiscoveries(transaction, due, hoursAgo(intervalHours - retryHours));
  return due;
}

const hoursAgo = (hours: number) => raw<Date>`now() - make_interval(hours => ${hours})`;

async function recordDiscoveries(
  sql: Sql,
  businesses: readonly { businessId: number }[],
  discoveredAt: RawBuilder<Date>,
): Promise<void> {
  if (businesses.length === 0) return;
  await db(sql)
    .insertInto('brandPageDiscoveries')
    .values(businesses.map(({ businessId }) => ({ businessId, discoveredAt })))
    .onConflict((conflict) => conflict.column('businessId').doUpdateSet({ discoveredAt }))
    .execute();
}
