import type { Sql } from '../../../../database/connection.ts';
import type { Scope } from '../../../locations/index.ts';

/** How listings stand with the accounts of their directories; NOT_PERMITTED are connected, but the page is not ours. */
export type Connection = 'CONNECTED' | 'NOT_CONNECTED' | 'NOT_PERMITTED';

/** One statement for each status, so that each is read in the order of an index and no further than the limit. */
const statusesOf: Record<Connection, readonly string[]> = {
  CONNECTED: ['CONNECTED', 'NOT_NEEDED'],
  NOT_CONNECTED: ['NOT_CONNECTED'],
  NOT_PERMITTED: ['CONNECTED', 'NOT_NEEDED'],
};

/** The first locations, by id, with a listing on one of these directories that stands so. */
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
  const notOurs = connection === 'NOT_PERMITTED' ? `and claim_status <> 'CLAIMED_BY_US'` : '';
  const statements = statusesOf[connection].map(
    (status) => `(
      select distinct location_id from listings listing join locations location on location.id = location_id
      where listing.partner_id = $1 and connect_status = '${status}' and duplicate_of is null
        and directory_type = any ($2::text[]) and flow_status <> 'INACTIVE' and location.status <> 'DELETED'
        ${notOurs} ${inScope}
      order by location_id limit $3
    )`,
  );
  const { rows } = await sql.query<{ id: number }>(
    `select location_id as id from (${statements.join(' union ')}) as found order by 1 limit $3`,
    values,
  );
  return rows.map(({ id }) => id);
}
