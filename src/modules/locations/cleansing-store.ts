import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { CleansingStatus } from './location.ts';
import { ownColumns } from './location-columns.ts';
import type { LockedLocation } from './location-store.ts';

interface Owner {
  id: number;
  identifier: string;
}

/** Partners with locations pending cleansing. */
export async function partnersWithPendingLocations(sql: Sql): Promise<Owner[]> {
  const { rows } = await sql.query<Owner>(
    `select id, identifier from sales_partners
     where id in (select distinct partner_id from locations where cleansing_status = 'PENDING') order by id`,
  );
  return rows;
}

/** The partner of the location; empty unless cleansing is pending. */
export async function partnerOfPendingLocation(sql: Sql, locationId: number): Promise<Owner[]> {
  const { rows } = await sql.query<Owner>({
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
