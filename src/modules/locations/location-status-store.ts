import type { Sql } from '../../database/connection.ts';
import { db, raw } from '../../database/query-builder.ts';
import { defineQuery, defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Actor } from '../accounts/index.ts';
import type { CleansingStatus, LocationStatus } from './location.ts';
import { ownColumns } from './location-columns.ts';
import { defineLock, type LockedLocation } from './location-store.ts';

type Partner = Actor['partner'];

/** The locations must be locked by this transaction. */
export async function setStatuses(
  transaction: Transaction,
  status: LocationStatus,
  locations: readonly { id: number; endDate: string | null }[],
): Promise<void> {
  const ids = locations.map(({ id }) => id);
  const endDates = locations.map(({ endDate }) => endDate);
  await run(transaction, updateStatuses, [status, ids, endDates]);
}

const updateStatuses = defineStatement({
  name: 'set-location-statuses',
  text: `update locations set status = $1, end_date = moving.end_date, last_updated = now()
         from unnest($2::bigint[], $3::date[]) as moving (id, end_date)
         where locations.id = moving.id`,
});

/** Time zones of cancelled locations with an end date up to `today`; null without a time zone. */
export async function zonesOfEnding(sql: Sql, today: string): Promise<(string | null)[]> {
  const rows = await db(sql)
    .selectFrom('locations')
    .select('timeZone')
    .distinct()
    // A literal, because the index on endDate has this condition.
    .where('status', '=', raw.lit('CANCELLED'))
    .where('endDate', '<=', raw<Date>`${today}::date`)
    .execute();
  return rows.map(({ timeZone }) => timeZone);
}

/** Current dates by time zone. */
type LocalDays = [zones: readonly (string | null)[], days: readonly string[]];

const hasEnded = (zones: string, days: string) =>
  `status = 'CANCELLED' and end_date < (
     select local.today from unnest(${zones}::text[], ${days}::date[]) as local (zone, today)
     where local.zone is not distinct from locations.time_zone
   )`;

/** Partners with cancelled locations whose end date has passed. */
export const partnersWithEndedLocations = defineQuery<LocalDays, Partner>({
  name: 'partners-with-ended-locations',
  text: `select id, identifier from sales_partners where id in (
           select distinct partner_id from locations where ${hasEnded('$1', '$2')}
         ) order by id`,
  columns: { id: 'int8', identifier: 'text' },
});

/** Cancelled locations whose end date has passed; locked ones are skipped. */
export const lockEnded = defineLock<[...LocalDays, limit: number]>(
  'lock-ended-locations',
  `${hasEnded('$2', '$3')} order by id limit $4 for update skip locked`,
);

/** Returns the row, before any status transition. */
export const recordSyncStart = defineQuery<[partnerId: number, id: number], LockedLocation, Transaction>({
  name: 'note-location-sync',
  text: `update locations set last_sync_started = now(), synced_revision = revision,
           next_check_at = coalesce(next_check_at, now() + interval '1 day')
         where partner_id = $1 and id = $2 and status <> 'DELETED'
         returning ${ownColumns.text}`,
  columns: ownColumns.columns,
});

// A literal, because the index on pending locations has this condition.
const pending = raw.lit('PENDING');

/** Partners with locations pending cleansing. */
export const partnersWithPendingLocations = (sql: Sql): Promise<Partner[]> =>
  db(sql)
    .selectFrom('salesPartners')
    .select(['id', 'identifier'])
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('locations').select('partnerId').distinct().where('cleansingStatus', '=', pending),
    )
    .orderBy('id')
    .execute();

/** The partner of the location; empty unless cleansing is pending. */
export const partnerOfPendingLocation = defineQuery<[locationId: number], Partner>({
  name: 'partner-of-pending-location',
  text: `select partner.id, partner.identifier
         from locations join sales_partners partner on partner.id = partner_id
         where locations.id = $1 and cleansing_status = 'PENDING'`,
  columns: { id: 'int8', identifier: 'text' },
});

/** Waits for the lock; empty unless cleansing is pending. */
export const lockPendingLocation = defineLock<[id: number]>(
  'lock-pending-location',
  "id = $2 and cleansing_status = 'PENDING' for update",
);

/** Locations pending cleansing; locked ones are skipped. */
export const lockPendingLocations = defineLock<[limit: number]>(
  'lock-pending-locations',
  "cleansing_status = 'PENDING' order by id limit $2 for update skip locked",
);

export const setCleansingStatus = defineQuery<[status: CleansingStatus, ids: readonly number[]], object, Transaction>({
  name: 'set-cleansing-status',
  text: 'update locations set cleansing_status = $1 where id = any ($2::bigint[])',
  columns: {},
});
