import type { Sql } from '../../database/connection.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { LocationStatus } from './location.ts';
import { ownColumns } from './location-columns.ts';
import type { LockedLocation } from './location-store.ts';

/** For locations that this transaction has locked. */
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

/** A partner that has cancelled locations whose end has come. */
export async function partnersWithEndedLocations(
  sql: Sql,
  today: string,
): Promise<{ id: number; identifier: string }[]> {
  const { rows } = await sql.query<{ id: number; identifier: string }>(
    `select id, identifier from sales_partners where id in (
       select distinct partner_id from locations where status = 'CANCELLED' and end_date <= $1::date
     ) order by id`,
    [today],
  );
  return rows;
}

/** Cancelled locations whose end has come, locked; those that somebody else is at are left for the next time. */
export async function lockEnded(
  transaction: Transaction,
  partnerId: number,
  today: string,
  limit: number,
): Promise<LockedLocation[]> {
  const { rows } = await transaction.query<LockedLocation>(
    `select ${ownColumns} from locations
     where partner_id = $1 and status = 'CANCELLED' and end_date <= $2::date
     order by id limit $3 for update skip locked`,
    [partnerId, today, limit],
  );
  return rows;
}

/** Notes the sync; answers the row as it was before the status could move. */
export async function noteSync(
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
