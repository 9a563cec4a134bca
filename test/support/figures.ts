import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../src/database/connection.ts';
import type { Transaction } from '../../src/database/transaction.ts';
import { healthRollUps, insightRollUps } from '../../src/modules/analytics/dashboard/dashboard-jobs.ts';
import { foldAll } from '../../src/modules/analytics/dashboard/roll-up.ts';
import {
  type InsightListing as ListingOfInsights,
  upsertInsights,
} from '../../src/modules/analytics/insights/insight-store.ts';
import { ensureListings } from '../../src/modules/listings/listing-store.ts';
import type { TestPartner } from './api.ts';
import { bakery } from './locations.ts';

export type InsightListing = ListingOfInsights & { businessId: number };

let names = 0;

export async function addBusinessRow(database: Database, { partner }: TestPartner): Promise<number> {
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into businesses (partner_id, name, status) values ($1, $2, 'ACTIVE') returning id`,
    [partner.id, `Business ${++names}`],
  );
  return rows[0]?.id as number;
}

/** Adds a location with listings and returns the first listing. */
export async function addListedLocation(
  database: Database,
  { partner }: TestPartner,
  businessId: number,
  directories: string[] = ['GOOGLE'],
): Promise<InsightListing> {
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into locations (partner_id, business_id, source, status, name, street, city, country, categories)
     values ($1, $2, 'API', 'ACTIVE', $3, 'Hafenstraße', 'Hamburg', 'DE', array[$4::bigint]) returning id`,
    [partner.id, businessId, `Location ${++names}`, bakery],
  );
  const locationId = rows[0]?.id as number;
  const [listing] = await database.transaction((transaction) =>
    ensureListings(transaction, partner.id, locationId, directories),
  );
  if (!listing) throw new Error('The listing was not created.');
  const { id: listingId, directoryType } = listing;
  return { businessId, partnerId: partner.id, locationId, listingId, directoryType };
}

/** Adds counts of one metric for consecutive days. */
export const addDailyCounts = (
  database: Database,
  listing: InsightListing,
  metric: string,
  from: string,
  counts: readonly number[],
): Promise<void> =>
  database.transaction((transaction) =>
    upsertInsights(
      transaction,
      listing,
      counts.map((count, index) => ({ metric, day: dayAfter(from, index), count })),
    ),
  );

export const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** Folds all pending deltas. */
export const foldFigures = ({ pool }: Database) => foldAll(pool, [...insightRollUps, ...healthRollUps]);

/** Insights with one row per day. */
export const insightDays = `
  select insights.listing_id, insights.location_id, insights.partner_id, directory_type, metric,
    month + (number - 1)::integer as day, count
  from insights cross join unnest(counts) with ordinality as day (count, number) where count is not null`;

/** Runs the second transaction until it ends or waits for a lock of the first, then commits the first. */
export async function runOverlapping(
  database: Database,
  first: (transaction: Transaction) => Promise<unknown>,
  second: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  let secondRun: Promise<unknown> | undefined;
  let ended = false;
  await database.transaction(async (transaction) => {
    await first(transaction);
    secondRun = database.transaction(second).finally(() => {
      ended = true;
    });
    const isWaiting = async () =>
      (
        await database.pool.query(`select from pg_stat_activity where datname = current_database()
         and cardinality(pg_blocking_pids(pid)) > 0`)
      ).rows.length > 0;
    while (!ended && !(await isWaiting())) await setTimeout(5);
  });
  await secondRun;
}
