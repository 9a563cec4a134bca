import type { Sql } from '../../database/connection.ts';
import { type Counted, countAll, countRows } from '../../database/counting.ts';
import { anyOf, db, raw } from '../../database/query-builder.ts';
import { defineQuery, defineStatement, run, type Statement } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { PageQuery } from '../../http/pagination.ts';
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

/** Finds a location by its id. Does not check the reach of the user: callers check it with `reaches`. */
function defineFind<Row extends Location>(statement: Statement<Row>) {
  const find = defineQuery<[partnerId: number, id: number], Row>(statement);
  return async (sql: Sql, partnerId: number, id: number): Promise<Row | undefined> =>
    (await find(sql, partnerId, id))[0];
}

export const findLocation = defineFind<Location>({
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

export const findLinkedLocation = defineFind<LinkedLocation>({
  name: 'find-linked-location',
  text: `select ${allColumns.text}, ${labelsOfRow('locations')} as labels,
           ${contentListsOfRow('locations')} as content_lists, ${planDirectoriesOfRow('locations')} as plan_directories
         from locations where id = $2 and partner_id = $1`,
  columns: { ...allColumns.columns, labels: 'json', contentLists: 'jsonb', planDirectories: 'text[]' },
});

/** A location with the data for checks and submissions of its listings. */
interface PlannedLocation extends Location {
  partnerIdentifier: string;
  /** Empty if the plan lists no directories. */
  planDirectories: readonly string[];
}

export const findPlannedLocation = defineFind<PlannedLocation>({
  name: 'find-planned-location',
  text: `select ${allColumns.text}, (select partner.identifier from sales_partners partner where partner.id = $1) as
           partner_identifier, ${planDirectoriesOfRow('locations')} as plan_directories
         from locations where id = $2 and partner_id = $1`,
  columns: { ...allColumns.columns, partnerIdentifier: 'text', planDirectories: 'text[]' },
});

/** Locations of the partner with these ids, sorted by id. Does not check the reach of the user. */
export const findLocations = defineQuery<[partnerId: number, ids: readonly number[]], Location>({
  name: 'find-locations',
  text: `select ${allColumns.text} from locations where partner_id = $1 and id = any ($2::bigint[]) order by id`,
  columns: allColumns.columns,
});

/** Without services: after waiting for the lock, `for update` would return them from an older snapshot. */
export type LockedLocation = Omit<Location, 'services'>;

/** Locks locations of a partner. `condition` ends with the order by id, which avoids deadlocks, and the lock. */
export const defineLock = <Values extends readonly unknown[]>(name: string, condition: string) =>
  defineQuery<[partnerId: number, ...Values], LockedLocation, Transaction>({
    name,
    text: `select ${ownColumns.text} from locations where partner_id = $1 and ${condition}`,
    columns: ownColumns.columns,
  });

export const lockLocations = defineLock<[ids: readonly number[]]>(
  'lock-locations',
  'id = any ($2::bigint[]) order by id for update',
);

export const lockByIdentifier = defineLock<[identifiers: readonly string[]]>(
  'lock-identified-locations',
  "identifier = any ($2::text[]) and status <> 'DELETED' order by id for update",
);

/** The streets are in lower case. */
export const lockByStreet = defineLock<[businessIds: readonly number[], streets: readonly string[]]>(
  'lock-locations-in-streets',
  `status <> 'DELETED' and id in (
     select found.id from (select distinct * from unnest($2::bigint[], $3::text[]) as t (business, street)) as address
     join locations found on found.business_id = address.business and lower(found.street) = address.street
   )
   order by id for update`,
);

// A literal, not a parameter: otherwise the planner cannot use the partial indexes with `status <> 'DELETED'`.
const deleted = raw.lit('DELETED');

/** Excludes deleted locations. */
export const countLiveLocations = (sql: Sql, businessId: number): Promise<number> =>
  countAll(db(sql).selectFrom('locations').where('businessId', '=', businessId).where('status', '<>', deleted));

/** Removes a label from up to `limit` locations, lowest ids first. Returns the changed locations. */
export const removeLabel = defineQuery<
  [partnerId: number, labelId: number, limit: number],
  { id: number; deleted: boolean },
  Transaction
>({
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
export async function usedIdentifiers(sql: Sql, partnerId: number, identifiers: readonly string[]) {
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

export const reserveLocationIds = defineQuery<[count: number], { id: number }>({
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
export async function updateLocations(transaction: Transaction, locations: readonly LocationRow[]) {
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

/** For changes that are stored in other tables. Returns those that are not deleted. */
export const touchLocations = defineQuery<[partnerId: number, ids: readonly number[]], { id: number }, Transaction>({
  name: 'touch-locations',
  text: `with used as (
           select id from locations
           where partner_id = $1 and id = any ($2::bigint[]) and status <> 'DELETED' order by id for no key update
         )
         update locations set last_updated = now() from used where locations.id = used.id returning locations.id`,
  columns: { id: 'int8' },
});

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

/** Newest first; up to max + 1, to detect whether another page follows. */
export const listChanges = (sql: Sql, locationId: number, { after, offset, max }: PageQuery) =>
  changesOf(sql, locationId)
    .select(['id', 'changedAt', 'changedBy', 'fields'])
    .where('id', '<', after ?? Number.MAX_SAFE_INTEGER)
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(max + 1)
    .execute();

export function countChanges(sql: Sql, partnerId: number, locationId: number): Promise<Counted> {
  const rows = changesOf(sql, locationId);
  return countRows(sql, { table: 'locationChanges', partnerId, rows, all: rows });
}
