import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { CleansingStatus, LocationStatus } from './location.ts';
import { ownColumns } from './location-columns.ts';
import type { LockedLocation } from './location-store.ts';

interface Partner {
  id: number;
  identifier: string;
}

/** The locations must be locked by this transaction. */
export async function setStatuses(
  transaction: Transaction,
  status: LocationStatus,
  locations: readonly { id: number; endDate: string | null }[],
): Promise<void> {
  await transaction.query({
    name: 'set-location-statuses',
    text: `update locations set status = $1, end_date = moving.end_date, last_updated = now()
           from unnest($2::bigint[], $3::date[]) as moving (id, end_date)
           where locations.id = moving.id`,
    values: [status, locations.map(({ id }) => id), locations.map(({ endDate }) => endDate)],
  });
}

/** Time zones of cancelled locations with an end date up to `today`; null without a time zone. */
export async function zonesOfEnding(sql: Sql, today: string): Promise<(string | null)[]> {
  const { rows } = await sql.query<{ zone: string | null }>(
    `select distinct time_zone as zone from locations where status = 'CANCELLED' and end_date <= $1::date`,
    [today],
  );
  return rows.map(({ zone }) => zone);
}

/** Current date by time zone. */
type LocalDays = ReadonlyMap<string | null, string>;

const hasEnded = (zones: string, days: string) =>
  `status = 'CANCELLED' and end_date < (
     select local.today from unnest(${zones}::text[], ${days}::date[]) as local (zone, today)
     where local.zone is not distinct from locations.time_zone
   )`;

/** Partners with cancelled locations whose end date has passed. */
export async function partnersWithEndedLocations(sql: Sql, days: LocalDays): Promise<Partner[]> {
  const { rows } = await sql.query<Partner>(
    `select id, identifier from sales_partners where id in (
       select distinct partner_id from locations where ${hasEnded('$1', '$2')}
     ) order by id`,
    [[...days.keys()], [...days.values()]],
  );
  return rows;
}

/** Cancelled locations whose end date has passed; locked ones are skipped. */
export async function lockEnded(
  transaction: Transaction,
  partnerId: number,
  days: LocalDays,
  limit: number,
): Promise<LockedLocation[]> {
  const { rows } = await transaction.query<LockedLocation>(
    `select ${ownColumns} from locations
     where partner_id = $1 and ${hasEnded('$2', '$3')}
     order by id limit $4 for update skip locked`,
    [partnerId, [...days.keys()], [...days.values()], limit],
  );
  return rows;
}

/** Returns the row, before any status transition. */
export async function recordSyncStart(
  transaction: Transaction,
  partnerId: number,
  id: number,
): Promise<LockedLocation | undefined> {
  const { rows } = await transaction.query<LockedLocation>({
    name: 'note-location-sync',
    text: `update locations set last_sync_started = now(), synced_revision = revision,
             next_check_at = coalesce(next_check_at, now() + interval '1 day')
           where partner_id = $1 and id = $2 and status <> 'DELETED'
           returning ${ownColumns}`,
    values: [partnerId, id],
  });
  return rows[0];
}

/** Partners with locations pending cleansing. */
export async function partnersWithPendingLocations(sql: Sql): Promise<Partner[]> {
  const { rows } = await sql.query<Partner>(
    `select id, identifier from sales_partners
     where id in (select distinct partner_id from locations where cleansing_status = 'PENDING') order by id`,
  );
  return rows;
}

/** The partner of the location; empty unless cleansing is pending. */
export async function partnerOfPendingLocation(sql: Sql, locationId: number): Promise<Partner[]> {
  const { rows } = await sql.query<Partner>({
    name: 'partner-of-pending-location',
    text: `select partner.id, partner.identifier
           from locations join sales_partners partner on partner.id = partner_id
           where locations.id = $1 and cleansing_status = 'PENDING'`,
    values: [locationId],
  });
  return rows;
}

/** Waits for the lock; empty unless cleansing is pending. */
export async function lockPendingLocation(
  transaction: Transaction,
  partnerId: number,
  locationId: number,
): Promise<LockedLocation[]> {
  const { rows } = await transaction.query<LockedLocation>({
    name: 'lock-pending-location',
    text: `select ${ownColumns} from locations
           where partner_id = $1 and id = $2 and cleansing_status = 'PENDING' for update`,
    values: [partnerId, locationId],
  });
  return rows;
}

/** Locations pending cleansing; locked ones are skipped. */
export async function lockPendingLocations(
  transaction: Transaction,
  partnerId: number,
  limit: number,
): Promise<LockedLocation[]> {
  const { rows } = await transaction.query<LockedLocation>({
    name: 'lock-pending-locations',
    text: `select ${ownColumns} from locations
           where partner_id = $1 and cleansing_status = 'PENDING' order by id limit $2 for update skip locked`,
    values: [partnerId, limit],
  });
  return rows;
}

export async function setCleansingStatus(
  transaction: Transaction,
  status: CleansingStatus,
  ids: readonly number[],
): Promise<void> {
  await transaction.query({
    name: 'set-cleansing-status',
    text: 'update locations set cleansing_status = $1 where id = any ($2::bigint[])',
    values: [status, ids],
  });
}
