import { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Counted, countMatching } from '../../database/counting.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Location, LocationSource } from './location.ts';
import {
  allColumns,
  assignments,
  insertColumns,
  insertValues,
  type LocationRow,
  ownColumns,
  rowDefinition,
  rowsAsJson,
} from './location-columns.ts';

/** Limited to the partner, not to the reach of a user: check with `reaches`. */
export async function findLocation(sql: Sql, partnerId: number, id: number): Promise<Location | undefined> {
  const { rows } = await sql.query<Location>({
    name: 'find-location',
    text: `select ${allColumns} from locations where id = $2 and partner_id = $1`,
    values: [partnerId, id],
  });
  return rows[0];
}

/** Locations of the partner with these ids, by id. */
export async function findLocations(sql: Sql, partnerId: number, ids: readonly number[]): Promise<Location[]> {
  const { rows } = await sql.query<Location>({
    name: 'find-locations',
    text: `select ${allColumns} from locations where partner_id = $1 and id = any ($2::bigint[]) order by id`,
    values: [partnerId, ids],
  });
  return rows;
}

/** Without services, which `for update` would read from an older snapshot after waiting for the lock. */
export type LockedLocation = Omit<Location, 'services'>;

/** Locks in id order to avoid deadlocks. */
export async function lockLocations(
  transaction: Transaction,
  partnerId: number,
  ids: readonly number[],
): Promise<LockedLocation[]> {
  const { rows } = await transaction.query<LockedLocation>({
    name: 'lock-locations',
    text: `select ${ownColumns} from locations where partner_id = $1 and id = any ($2::bigint[]) order by id for update`,
    values: [partnerId, ids],
  });
  return rows;
}

export async function lockByIdentifier(
  transaction: Transaction,
  partnerId: number,
  identifiers: readonly string[],
): Promise<LockedLocation[]> {
  const { rows } = await transaction.query<LockedLocation>({
    name: 'lock-identified-locations',
    text: `select ${ownColumns} from locations
           where partner_id = $1 and identifier = any ($2::text[]) and status <> 'DELETED' order by id for update`,
    values: [partnerId, identifiers],
  });
  return rows;
}

export async function lockInStreets(
  transaction: Transaction,
  partnerId: number,
  places: readonly { businessId: number; street: string }[],
): Promise<LockedLocation[]> {
  const { rows } = await transaction.query<LockedLocation>({
    name: 'lock-locations-in-streets',
    text: `select ${ownColumns} from locations
           where partner_id = $1 and status <> 'DELETED' and id in (
             select found.id from (select distinct * from unnest($2::bigint[], $3::text[]) as t (business, street)) as place
             join locations found on found.business_id = place.business and lower(found.street) = place.street
           )
           order by id for update`,
    values: [partnerId, places.map(({ businessId }) => businessId), places.map(({ street }) => street.toLowerCase())],
  });
  return rows;
}

/** Excludes deleted locations. */
export async function countLiveLocations(sql: Sql, businessId: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    "select count(*) from locations where business_id = $1 and status <> 'DELETED'",
    [businessId],
  );
  return rows[0]?.count ?? 0;
}

/** Removes a label from up to `limit` locations, by id. Returns the changed locations. */
export async function removeLabel(
  transaction: Transaction,
  partnerId: number,
  labelId: number,
  limit: number,
): Promise<{ id: number; deleted: boolean }[]> {
  const { rows } = await transaction.query<{ id: number; deleted: boolean }>(
    `with labelled as (
       select id from locations where partner_id = $1 and label_ids @> array[$2::bigint] order by id limit $3 for update
     )
     update locations set label_ids = array_remove(label_ids, $2::bigint), last_updated = now()
     from labelled where locations.id = labelled.id
     returning locations.id, locations.status = 'DELETED' as deleted`,
    [partnerId, labelId, limit],
  );
  return rows;
}

/** The identifiers that other locations of the partner already use. */
export async function usedIdentifiers(
  sql: Sql,
  partnerId: number,
  identifiers: readonly string[],
  exceptIds: readonly number[],
): Promise<Set<string>> {
  const { rows } = await sql.query<{ identifier: string }>(
    `select identifier from locations
     where partner_id = $1 and identifier = any ($2::text[]) and status <> 'DELETED' and id <> all ($3::bigint[])`,
    [partnerId, identifiers, exceptIds],
  );
  return new Set(rows.map(({ identifier }) => identifier));
}

export async function reserveLocationIds(sql: Sql, count: number): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>({
    name: 'draw-location-ids',
    text: `select nextval(pg_get_serial_sequence('locations', 'id')) as id from generate_series(1, $1::int)`,
    values: [count],
  });
  return rows.map(({ id }) => id);
}

/** Skips locations whose identifier is in use, also in a race. Returns the inserted ids and their creation time. */
export async function insertLocations(
  transaction: Transaction,
  partnerId: number,
  source: LocationSource,
  locations: readonly LocationRow[],
): Promise<Map<number, Date>> {
  const { rows } = await transaction.query<{ id: number; dateCreated: Date }>({
    name: 'insert-locations',
    text: `insert into locations (id, partner_id, source, ${insertColumns})
           select next.id, $1, $2, ${insertValues} from json_to_recordset($3::json) as next ${rowDefinition}
           on conflict (partner_id, identifier) where status <> 'DELETED' do nothing
           returning id, date_created as "dateCreated"`,
    values: [partnerId, source, rowsAsJson(locations)],
  });
  return new Map(rows.map(({ id, dateCreated }) => [id, dateCreated]));
}

/** Writes all columns, so the rows must be locked by this transaction. */
export async function updateLocations(
  transaction: Transaction,
  locations: readonly LocationRow[],
): Promise<Map<number, Date>> {
  const { rows } = await transaction.query<{ id: number; lastUpdated: Date }>({
    name: 'update-locations',
    text: `update locations set ${assignments}, revision = revision + 1, last_updated = now()
           from json_to_recordset($1::json) as next ${rowDefinition}
           where locations.id = next.id
           returning locations.id, last_updated as "lastUpdated"`,
    values: [rowsAsJson(locations)],
  });
  return new Map(rows.map(({ id, lastUpdated }) => [id, lastUpdated]));
}

/** Validates the reach of a user: location ids that do not exist. */
export async function unknownLocations(
  sql: Sql,
  partnerId: number,
  { locationIds }: { locationIds: readonly number[] },
): Promise<{ field: 'locationIds'; ids: number[] }> {
  const { rows } = await sql.query<{ id: number }>(
    'select id from locations where partner_id = $1 and id = any ($2::bigint[])',
    [partnerId, locationIds],
  );
  const known = new Set(rows.map(({ id }) => id));
  return { field: 'locationIds', ids: locationIds.filter((id) => !known.has(id)) };
}

/** Locations whose profile contains this text, such as the URL of a photo or video. */
export async function locationsWithMedia(
  sql: Sql,
  partnerId: number,
  part: string,
): Promise<{ id: number; media: string }[]> {
  const { rows } = await sql.query<{ id: number; media: string }>(
    `select id, profile::text as media from locations
     where partner_id = $1 and status <> 'DELETED' and strpos(profile::text, $2) > 0 order by id`,
    [partnerId, part],
  );
  return rows;
}

interface LocationChangeRecord {
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
