import type { Sql } from '../../database/connection.ts';
import { type Counted, countAll, countRows } from '../../database/counting.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import {
  type ContentList,
  contentListsOfRow,
  type Label,
  labelsOfRow,
  planDirectoriesOfRow,
} from '../catalog/index.ts';
import type { Location, LocationSource } from './location.ts';
import {
  allColumns,
  assignments,
  insertColumns,
  insertValues,
  type LocationRow,
  ownColumns,
  rowDefinition,
} from './location-columns.ts';

/** Does not check the reach of the user: callers check it with `reaches`. */
export async function findLocation(sql: Sql, partnerId: number, id: number): Promise<Location | undefined> {
  const [location] = await run(sql, findStatement, [partnerId, id]);
  return location;
}

const findStatement = defineStatement<Location>({
  name: 'find-location',
  text: `select ${allColumns.text} from locations where id = $2 and partner_id = $1`,
  columns: allColumns.columns,
});

/** A location with the records of the catalog that its API response contains. */
export interface LinkedLocation extends Location {
  labels: readonly Label[];
  contentLists: readonly ContentList[];
  planDirectories: readonly string[];
}

/** Like `findLocation`, for an API response. */
export async function findLinkedLocation(sql: Sql, partnerId: number, id: number): Promise<LinkedLocation | undefined> {
  const [location] = await run(sql, findLinkedStatement, [partnerId, id]);
  return location;
}

const findLinkedStatement = defineStatement<LinkedLocation>({
  name: 'find-linked-location',
  text: `select ${allColumns.text}, ${labelsOfRow('locations')} as labels,
           ${contentListsOfRow('locations')} as content_lists, ${planDirectoriesOfRow('locations')} as plan_directories
         from locations where id = $2 and partner_id = $1`,
  columns: { ...allColumns.columns, labels: 'json', contentLists: 'jsonb', planDirectories: 'text[]' },
});

/** A location with the data for checks and submissions of its listings. */
export interface PlannedLocation extends Location {
  partnerIdentifier: string;
  /** Empty if the plan lists no directories. */
  planDirectories: readonly string[];
}

/** Like `findLocation`, for checks and submissions. */
export async function findPlannedLocation(
  sql: Sql,
  partnerId: number,
  id: number,
): Promise<PlannedLocation | undefined> {
  const [location] = await run(sql, findPlannedStatement, [partnerId, id]);
  return location;
}

const findPlannedStatement = defineStatement<PlannedLocation>({
  name: 'find-planned-location',
  text: `select ${allColumns.text}, (select partner.identifier from sales_partners partner where partner.id = $1) as
           partner_identifier, ${planDirectoriesOfRow('locations')} as plan_directories
         from locations where id = $2 and partner_id = $1`,
  columns: { ...allColumns.columns, partnerIdentifier: 'text', planDirectories: 'text[]' },
});

/** Locations of the partner with these ids, sorted by id. Does not check the reach of the user. */
export const findLocations = (sql: Sql, partnerId: number, ids: readonly number[]): Promise<Location[]> =>
  run(sql, findManyStatement, [partnerId, ids]);

const findManyStatement = defineStatement<Location>({
  name: 'find-locations',
  text: `select ${allColumns.text} from locations where partner_id = $1 and id = any ($2::bigint[]) order by id`,
  columns: allColumns.columns,
});

/** Without services: after waiting for the lock, `for update` would return them from an older snapshot. */
export type LockedLocation = Omit<Location, 'services'>;

/** Locks in id order to avoid deadlocks. */
export const lockLocations = (
  transaction: Transaction,
  partnerId: number,
  ids: readonly number[],
): Promise<LockedLocation[]> => run(transaction, lockStatement, [partnerId, ids]);

const lockStatement = defineStatement<LockedLocation>({
  name: 'lock-locations',
  text: `select ${ownColumns.text} from locations where partner_id = $1 and id = any ($2::bigint[]) order by id for update`,
  columns: ownColumns.columns,
});

export const lockByIdentifier = (
  transaction: Transaction,
  partnerId: number,
  identifiers: readonly string[],
): Promise<LockedLocation[]> => run(transaction, lockByIdentifierStatement, [partnerId, identifiers]);

const lockByIdentifierStatement = defineStatement<LockedLocation>({
  name: 'lock-identified-locations',
  text: `select ${ownColumns.text} from locations
         where partner_id = $1 and identifier = any ($2::text[]) and status <> 'DELETED' order by id for update`,
  columns: ownColumns.columns,
});

export function lockByStreet(
  transaction: Transaction,
  partnerId: number,
  addresses: readonly { businessId: number; street: string }[],
): Promise<LockedLocation[]> {
  const businessIds = addresses.map(({ businessId }) => businessId);
  const streets = addresses.map(({ street }) => street.toLowerCase());
  return run(transaction, lockByStreetStatement, [partnerId, businessIds, streets]);
}

const lockByStreetStatement = defineStatement<LockedLocation>({
  name: 'lock-locations-in-streets',
  text: `select ${ownColumns.text} from locations
         where partner_id = $1 and status <> 'DELETED' and id in (
           select found.id from (select distinct * from unnest($2::bigint[], $3::text[]) as t (business, street)) as address
           join locations found on found.business_id = address.business and lower(found.street) = address.street
         )
         order by id for update`,
  columns: ownColumns.columns,
});

// A literal, not a parameter: otherwise the planner cannot use the partial indexes with `status <> 'DELETED'`.
const deleted = raw.lit('DELETED');

/** Excludes deleted locations. */
export const countLiveLocations = (sql: Sql, businessId: number): Promise<number> =>
  countAll(db(sql).selectFrom('locations').where('businessId', '=', businessId).where('status', '<>', deleted));

/** Removes a label from up to `limit` locations, lowest ids first. Returns the changed locations. */
export const removeLabel = (
  transaction: Transaction,
  partnerId: number,
  labelId: number,
  limit: number,
): Promise<{ id: number; deleted: boolean }[]> => run(transaction, removeLabelStatement, [partnerId, labelId, limit]);

const removeLabelStatement = defineStatement<{ id: number; deleted: boolean }>({
  name: 'remove-label-from-locations',
  text: `with labelled as (
           select id from locations where partner_id = $1 and label_ids @> array[$2::bigint] order by id limit $3 for update
         )
         update locations set label_ids = array_remove(label_ids, $2::bigint), last_updated = now()
         from labelled where locations.id = labelled.id
         returning locations.id, locations.status = 'DELETED' as deleted`,
  columns: { id: 'int8', deleted: 'bool' },
});

/** Identifiers that locations of the partner already use. */
export async function usedIdentifiers(
  sql: Sql,
  partnerId: number,
  identifiers: readonly string[],
): Promise<Set<string>> {
  const rows = await db(sql)
    .selectFrom('locations')
    .select('identifier')
    .where('partnerId', '=', partnerId)
    .where('identifier', '=', anyOf(identifiers, 'text'))
    .where('status', '<>', deleted)
    .$narrowType<{ identifier: string }>()
    .execute();
  return new Set(rows.map(({ identifier }) => identifier));
}

export async function reserveLocationIds(sql: Sql, count: number): Promise<number[]> {
  const rows = await run(sql, reserveIdsStatement, [count]);
  return rows.map(({ id }) => id);
}

const reserveIdsStatement = defineStatement<{ id: number }>({
  name: 'draw-location-ids',
  text: `select nextval(pg_get_serial_sequence('locations', 'id')) as id from generate_series(1, $1::int)`,
  columns: { id: 'int8' },
});

/** Skips locations whose identifier is in use, even by a concurrent insert. Returns the inserted ids. */
export async function insertLocations(
  transaction: Transaction,
  partnerId: number,
  source: LocationSource,
  locations: readonly LocationRow[],
): Promise<Set<number>> {
  const rows = await run(transaction, insertStatement, [partnerId, source, JSON.stringify(locations)]);
  return new Set(rows.map(({ id }) => id));
}

const insertStatement = defineStatement<{ id: number }>({
  name: 'insert-locations',
  text: `insert into locations (id, partner_id, source, ${insertColumns})
         select next.id, $1, $2, ${insertValues} from json_to_recordset($3::json) as next ${rowDefinition}
         on conflict (partner_id, identifier) where status <> 'DELETED' do nothing
         returning id`,
  columns: { id: 'int8' },
});

/** Writes all columns, so the rows must be locked by this transaction. Returns `lastUpdated` by id. */
export async function updateLocations(
  transaction: Transaction,
  locations: readonly LocationRow[],
): Promise<Map<number, Date>> {
  const rows = await run(transaction, updateStatement, [JSON.stringify(locations)]);
  return new Map(rows.map(({ id, lastUpdated }) => [id, lastUpdated]));
}

const updateStatement = defineStatement<{ id: number; lastUpdated: Date }>({
  name: 'update-locations',
  text: `update locations set ${assignments}, revision = revision + 1, last_updated = now()
         from json_to_recordset($1::json) as next ${rowDefinition}
         where locations.id = next.id
         returning locations.id, last_updated`,
  columns: { id: 'int8', lastUpdated: 'timestamptz' },
});

const touchStatement = defineStatement<{ id: number }>({
  name: 'touch-locations',
  text: `with used as (
           select id from locations
           where partner_id = $1 and id = any ($2::bigint[]) and status <> 'DELETED' order by id for no key update
         )
         update locations set last_updated = now() from used where locations.id = used.id returning locations.id`,
  columns: { id: 'int8' },
});

/** For changes that are stored in other tables. Returns the ids of those that are not deleted, in order. */
export async function touchLocations(
  transaction: Transaction,
  partnerId: number,
  ids: readonly number[],
): Promise<number[]> {
  const touched = await run(transaction, touchStatement, [partnerId, ids]);
  return touched.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Location ids that do not exist, to validate the reach of a user. */
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

/** A query of locations whose profile contains the substring, such as part of a photo URL. */
export const locationsWithMedia = (sql: Sql, partnerId: number, substring: string) =>
  db(sql)
    .selectFrom('locations')
    .select((eb) => ['id', eb.cast<string>('profile', 'text').as('media')])
    .where('partnerId', '=', partnerId)
    .where('status', '<>', deleted)
    .where((eb) => raw<boolean>`strpos(${eb.cast('profile', 'text')}, ${substring}) > 0`);

interface LocationChangeRecord {
  id: number;
  changedAt: Date;
  changedBy: string;
  fields: string[];
}

export async function recordChanges(
  transaction: Transaction,
  changedBy: string,
  changes: readonly { locationId: number; fields: readonly string[] }[],
): Promise<void> {
  await run(transaction, insertChangesStatement, [changedBy, JSON.stringify(changes)]);
}

const insertChangesStatement = defineStatement({
  name: 'record-location-changes',
  text: `insert into location_changes (location_id, changed_by, fields)
         select "locationId", $1, fields from json_to_recordset($2::json) as given ("locationId" bigint, fields text[])`,
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

export function countChanges(sql: Sql, partnerId: number, locationId: number): Promise<Counted> {
  const rows = changesOf(sql, locationId);
  return countRows(sql, { table: 'locationChanges', partnerId, rows, all: rows });
}
