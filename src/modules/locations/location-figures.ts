import type { Sql } from '../../database/connection.ts';
import { notMovingSql } from '../../database/partner-moves.ts';
import { defineStatement, run, textList } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../accounts/index.ts';
import { activateBusiness } from '../catalog/index.ts';
import { transitionLocations } from './change-status.ts';
import { syncedStatuses } from './location.ts';
import { recordSyncStart } from './location-status-store.ts';

export async function setListingFigures(
  sql: Sql,
  locationId: number,
  figures: { listingsCount: number; listingsInSync: number; visibilityIndex: number | null },
): Promise<void> {
  const { listingsCount, listingsInSync, visibilityIndex } = figures;
  await run(sql, updateListingFigures, [locationId, listingsCount, listingsInSync, visibilityIndex]);
}

const updateListingFigures = defineStatement({
  name: 'set-listing-figures',
  text: `update locations set listings_count = $2, listings_in_sync = $3, visibility_index = $4
         where id = $1 and (listings_count, listings_in_sync, visibility_index) is distinct from ($2, $3, $4)`,
});

/** The business of a location for roll-ups, locked until the transaction ends; null for a deleted location. */
export async function lockBusinessOf(transaction: Transaction, locationId: number): Promise<number | null> {
  const [location] = await run(transaction, lockBusiness, [locationId]);
  return location?.businessId ?? null;
}

const lockBusiness = defineStatement<{ businessId: number | null }>({
  name: 'hold-business',
  text: `select case when status <> 'DELETED' then business_id end as business_id from locations
         where id = $1 for no key update`,
  columns: { businessId: 'int8' },
});

/** Adds deltas, which may be negative. */
export async function addRatings(
  sql: Sql,
  locationId: number,
  change: { dataPoints: number; ratings: number; ratingSum: number },
): Promise<void> {
  await run(sql, updateRatings, [locationId, change.dataPoints, change.ratings, change.ratingSum]);
}

const updateRatings = defineStatement({
  name: 'add-ratings',
  text: `update locations set data_points_count = data_points_count + $2, ratings_count = ratings_count + $3,
           ratings_sum = ratings_sum + $4
         where id = $1`,
});

/** Records the start of a sync. The first one makes a CREATED location ACTIVE. */
export async function markSynced(transaction: Transaction, actor: Actor, locationId: number): Promise<void> {
  const [location] = await recordSyncStart(transaction, actor.partner.id, locationId);
  if (location?.status !== 'CREATED') return;
  const move = { to: 'ACTIVE', by: 'first sync', now: new Date() } as const;
  await transitionLocations(transaction, actor, [location], move);
  await activateBusiness(transaction, actor.partner.id, location.businessId);
}

interface DueLocation {
  id: number;
  partnerId: number;
  partnerIdentifier: string;
  revision: number;
}

/** Claims locations whose check is due by moving their next check. 5 % jitter spreads locations imported together. */
export const claimDueForCheck = (
  sql: Sql,
  { limit, intervalSeconds }: { limit: number; intervalSeconds: number },
): Promise<DueLocation[]> => run(sql, claimDue, [limit, intervalSeconds]);

const claimDue = defineStatement<DueLocation>({
  name: 'due-for-check',
  text: `update locations set next_check_at = now() + make_interval(secs => $2 * (0.95 + random() / 10))
         from (
           select locations.id, identifier from (
             select id, partner_id from locations
             where next_check_at <= now() and status in ${textList(syncedStatuses)} and ${notMovingSql('partner_id')}
             order by next_check_at limit $1 for update skip locked
           ) as locations join sales_partners on sales_partners.id = locations.partner_id
         ) as due
         where locations.id = due.id
         returning locations.id, partner_id, due.identifier as partner_identifier, revision`,
  columns: { id: 'int8', partnerId: 'int8', partnerIdentifier: 'text', revision: 'int4' },
});
