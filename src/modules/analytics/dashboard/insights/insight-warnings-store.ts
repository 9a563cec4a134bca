import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../locations/index.ts';

/** NOT_PERMITTED: connected, but the listing is not claimed by us. */
export type Connection = 'CONNECTED' | 'NOT_CONNECTED' | 'NOT_PERMITTED';

/** One statement per status, so that each uses the order of an index and stops at the limit. */
const statusesOf: Record<Connection, readonly string[]> = {
  CONNECTED: ['CONNECTED', 'NOT_NEEDED'],
  NOT_CONNECTED: ['NOT_CONNECTED'],
  NOT_PERMITTED: ['CONNECTED', 'NOT_NEEDED'],
};

/** Ids of the first locations with a listing in this state on one of the directories. */
export async function locationsWith(
  sql: Sql,
  scope: Scope,
  connection: Connection,
  directoryTypes: readonly string[],
  limit: number,
): Promise<number[]> {
  const values: unknown[] = [scope.partnerId, directoryTypes, limit];
  const inScope =
    scope.kind === 'locations'
      ? `and listing.location_id = any ($${values.push(scope.locationIds)}::bigint[])`
      : scope.kind === 'businesses'
        ? `and location.business_id = any ($${values.push(scope.businessIds)}::bigint[])`
        : '';
  const notClaimed = connection === 'NOT_PERMITTED' ? `and claim_status <> 'CLAIMED_BY_US'` : '';
  const statements = statusesOf[connection].map(
    (status) => `(
      select distinct location_id from listings listing join locations location on location.id = location_id
      where listing.partner_id = $1 and connect_status = '${status}' and duplicate_of is null
        and directory_type = any ($2::text[]) and flow_status <> 'INACTIVE' and location.status <> 'DELETED'
        ${notClaimed} ${inScope}
      order by location_id limit $3
    )`,
  );
  const { rows } = await sql.query<{ id: number }>(
    `select location_id as id from (${statements.join(' union ')}) as found order by 1 limit $3`,
    values,
  );
  return rows.map(({ id }) => id);
}
