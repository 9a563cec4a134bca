import { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countMatching } from '../../database/counting.ts';
import type { Transaction } from '../../database/transaction.ts';

export interface LocationChangeRecord {
  id: number;
  changedAt: Date;
  changedBy: string;
  fields: string[];
}

export async function recordChanges(
  transaction: Transaction,
  by: string,
  changes: readonly { locationId: number; fields: readonly string[] }[],
): Promise<void> {
  await transaction.query({
    name: 'record-location-changes',
    text: `insert into location_changes (location_id, changed_by, fields)
           select "locationId", $1, fields from json_to_recordset($2::json) as given ("locationId" bigint, fields text[])`,
    values: [by, JSON.stringify(changes)],
  });
}

/** Newest first; `after` is the last id of the previous page. */
export async function listChanges(
  sql: Sql,
  locationId: number,
  { after, offset, limit }: { after: number | undefined; offset: number; limit: number },
): Promise<LocationChangeRecord[]> {
  const { rows } = await sql.query<LocationChangeRecord>(
    `select id, changed_at as "changedAt", changed_by as "changedBy", fields from location_changes
     where location_id = $1 and id < $2 order by id desc offset $3 limit $4`,
    [locationId, after ?? Number.MAX_SAFE_INTEGER, offset, limit],
  );
  return rows;
}

export const countChanges = (sql: Sql, locationId: number): Promise<Counted> =>
  countMatching(sql, 'location_changes', new Conditions(locationId).add(ofLocation), ofLocation);

const ofLocation = 'location_id = $1';
