import type { Sql } from '../../database/connection.ts';
import { type Counted, countRows } from '../../database/counting.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
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
  const [location] = await run(sql, oneLocation, [partnerId, id]);
  return location;
}

const oneLocation = defineStatement<Location>({
  name: 'find-location',
  text: `select ${allColumns.text} from locations where id = $2 and partner_id = $1`,
  columns: allColumns.columns,
});

/** Locations of the partner with these ids, by id. */
export const findLocations = (sql: Sql, partnerId: number, ids: readonly number[]): Promise<Location[]> =>
  run(sql, severalLocations, [partnerId, ids]);

const severalLocations = defineStatement<Location>({
  name: 'find-locations',
  text: `select ${allColumns.text} from locations where partner_id = $1 and id = any ($2::bigint[]) order by id`,
  columns: allColumns.columns,
});

/** Without services, which `for update` would read from an older snapshot after waiting for the lock. */
export type LockedLocation = Omit<Location, 'services'>;

/** Locks in id order to avoid deadlocks. */
export const lockLocations = (
  transaction: Transaction,
  partnerId: number,
  ids: readonly number[],
): Promise<LockedLocation[]> => run(transaction, lockById, [partnerId, ids]);

const lockById = defineStatement<LockedLocation>({
  name: 'lock-locations',
  text: `select ${ownColumns.text} from locations where partner_id = $1 and id = any ($2::bigint[]) order by id for update`,
  columns: ownColumns.columns,
});

export const lockByIdentifier = (
  transaction: Transaction,
  partnerId: number,
  identifiers: readonly string[],
): Promise<LockedLocation[]> => run(transaction, lockIdentified, [partnerId, identifiers]);

const lockIdentified = defineStatement<LockedLocation>({
  name: 'lock-identified-locations',
  text: `select ${ownColumns.text} from locations
         where partner_id = $1 and identifier = any ($2::text[]) and status <> 'DELETED' order by id for update`,
  columns: ownColumns.columns,
});

export function lockInStreets(
  transaction: Transaction,
  partnerId: number,
  places: readonly { businessId: number; street: string }[],
): Promise<LockedLocation[]> {
  const businessIds = places.map(({ businessId }) => businessId);
  const streets = places.map(({ street }) => street.toLowerCase());
  return run(transaction, lockByStreet, [partnerId, businessIds, streets]);
}

const lockByStreet = defineStatement<LockedLocation>({
  name: 'lock-locations-in-streets',
  text: `select ${ownColumns.text} from locations
         where partner_id = $1 and status <> 'DELETED' and id in (
           select found.id from (select distinct * from unnest($2::bigint[], $3::text[]) as t (business, street)) as place
           join locations found on found.business_id = place.business and lower(found.street) = place.street
         )
         order by id for update`,
  columns: ownColumns.columns,
});

// A literal, because indexes have the condition `status <> 'DELETED'`.
const deleted = raw.lit('DELETED');

/** Excludes deleted locations. */
export async function countLiveLocations(sql: Sql, businessId: number): Promise<number> {
  const { count } = await db(sql)
    .selectFrom('locations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('businessId', '=', businessId)
    .where('status', '<>', deleted)
    .executeTakeFirstOrThrow();
  return count;
}

/** Removes a label from up to `limit` locations, by id. Returns the changed locations. */
export const removeLabel = (
  transaction: Transaction,
  partnerId: number,
  labelId: number,
  limit: number,
): Promise<{ id: number; deleted: boolean }[]> => run(transaction, removeLabelId, [partnerId, labelId, limit]);

const removeLabelId = defineStatement<{ id: number; deleted: boolean }>({
  name: 'remove-label-from-locations',
  text: `with labelled as (
           select id from locations where partner_id = $1 and label_ids @> array[$2::bigint] order by id limit $3 for update
         )
         update locations set label_ids = array_remove(label_ids, $2::bigint), last_updated = now()
         from labelled where locations.id = labelled.id
         returning locations.id, locations.status = 'DELETED' as deleted`,
  columns: { id: 'int8', deleted: 'bool' },
});

/** The identifiers that other locations of the partner already use. */
export async function usedIdentifiers(
  sql: Sql,
  partnerId: number,
  identifiers: readonly string[],
  exceptIds: readonly number[],
): Promise<Set<string>> {
  const rows = await db(sql)
    .selectFrom('locations')
    .select('identifier')
    .where('partnerId', '=', partnerId)
    .where('identifier', '=', anyOf(identifiers, 'text'))
    .where('status', '<>', deleted)
    .where('id', '<>', raw<number>`all (${exceptIds}::bigint[])`)
    .$narrowType<{ identifier: string }>()
    .execute();
  return new Set(rows.map(({ identifier }) => identifier));
}

export async function reserveLocationIds(sql: Sql, count: number): Promise<number[]> {
  const rows = await run(sql, drawIds, [count]);
  return rows.map(({ id }) => id);
}

const drawIds = defineStatement<{ id: number }>({
  name: 'draw-location-ids',
  text: `select nextval(pg_get_serial_sequence('locations', 'id')) as id from generate_series(1, $1::int)`,
  columns: { id: 'int8' },
});

/** Skips locations whose identifier is in use, also in a race. Returns the inserted ids and their creation time. */
export async function insertLocations(
  transaction: Transaction,
  partnerId: number,
  source: LocationSource,
  locations: readonly LocationRow[],
): Promise<Map<number, Date>> {
  const rows = await run(transaction, insertRows, [partnerId, source, rowsAsJson(locations)]);
  return new Map(rows.map(({ id, dateCreated }) => [id, dateCreated]));
}

const insertRows = defineStatement<{ id: number; dateCreated: Date }>({
  name: 'insert-locations',
  text: `insert into locations (id, partner_id, source, ${insertColumns})
         select next.id, $1, $2, ${insertValues} from json_to_recordset($3::json) as next ${rowDefinition}
         on conflict (partner_id, identifier) where status <> 'DELETED' do nothing
         returning id, date_created`,
  columns: { id: 'int8', dateCreated: 'timestamptz' },
});

/** Writes all columns, so the rows must be locked by this transaction. */
export async function updateLocations(
  transaction: Transaction,
  locations: readonly LocationRow[],
): Promise<Map<number, Date>> {
  const rows = await run(transaction, updateRows, [rowsAsJson(locations)]);
  return new Map(rows.map(({ id, lastUpdated }) => [id, lastUpdated]));
}

const updateRows = defineStatement<{ id: number; lastUpdated: Date }>({
  name: 'update-locations',
  text: `update locations set ${assignments}, revision = revision + 1, last_updated = now()
         from json_to_recordset($1::json) as next ${rowDefinition}
         where locations.id = next.id
         returning locations.id, last_updated`,
  columns: { id: 'int8', lastUpdated: 'timestamptz' },
});

/** Validates the reach of a user: location ids that do not exist. */
export async function unknownLocations(
  sql: Sql,
  partnerId: number,
  { locationIds }: { locationIds: readonly number[] },
): Promise<{ field: 'locationIds'; ids: number[] }> {
  const rows = await db(sql)
    .selectFrom('locations')
    .select('id')
    .where('partnerId', '=', partnerId)
    .where('id', '=', anyOf(locationIds, 'bigint'))
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  return { field: 'locationIds', ids: locationIds.filter((id) => !known.has(id)) };
}

/** Locations whose profile contains this text, such as the URL of a photo or video. */
export const locationsWithMedia = (
  sql: Sql,
  partnerId: number,
  part: string,
): Promise<{ id: number; media: string }[]> =>
  db(sql)
    .selectFrom('locations')
    .select((eb) => ['id', eb.cast<string>('profile', 'text').as('media')])
    .where('partnerId', '=', partnerId)
    .where('status', '<>', deleted)
    .where((eb) => raw<boolean>`strpos(${eb.cast('profile', 'text')}, ${part}) > 0`)
    .orderBy('id')
    .execute();

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
  await run(transaction, insertChanges, [by, JSON.stringify(changes)]);
}

const insertChanges = defineStatement({
  name: 'record-location-changes',
  text: `insert into location_changes (location_id, changed_by, fields)
         select "locationId", $1, fields from json_to_recordset($2::json) as given ("locationId" bigint, fields text[])`,
  columns: {},
});

const changesOf = (sql: Sql, locationId: number) =>
  db(sql).selectFrom('locationChanges').where('locationId', '=', locationId);

/** Newest first; `after` is the last id of the previous page. */
export const listChanges = (
  sql: Sql,
  locationId: number,
  { after, offset, limit }: { after: number | undefined; offset: number; limit: number },
): Promise<LocationChangeRecord[]> =>
  changesOf(sql, locationId)
    .select(['id', 'changedAt', 'changedBy', 'fields'])
    .where('id', '<', after ?? Number.MAX_SAFE_INTEGER)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute();

export function countChanges(sql: Sql, locationId: number): Promise<Counted> {
  const rows = changesOf(sql, locationId);
  return countRows(sql, { table: 'locationChanges', owner: locationId, rows, all: rows });
}
