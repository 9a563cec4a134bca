import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { Scope } from '../../locations/index.ts';

/** Dismissals belong to a user, or to the private key. */
const ownerOf = ({ partnerId, user }: Caller) => [partnerId, user?.id ?? null];
const own = 'home_dismissals.partner_id = $1 and home_dismissals.user_id is not distinct from $2';

/** Without locations, for all locations. Existing dismissals get the new date. */
export async function upsertDismissals(
  sql: Sql,
  caller: Caller,
  type: string,
  locationIds: readonly number[] | undefined,
  until: string,
): Promise<void> {
  await sql.query(
    `insert into home_dismissals (partner_id, user_id, type, location_id, until)
     select distinct $1::bigint, $2::bigint, $3, location_id, $5::date from unnest($4::bigint[]) as location_id
     on conflict (partner_id, user_id, type, location_id) do update set until = excluded.until, date_created = now()`,
    [...ownerOf(caller), type, locationIds ?? [null], until],
  );
}

/** Returns the number of deleted dismissals. Without locations, all of the type. */
export async function deleteDismissals(
  sql: Sql,
  caller: Caller,
  type: string,
  locationIds: readonly number[] | undefined,
): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from home_dismissals where ${own} and type = $3
       and ($4::bigint[] is null or location_id = any ($4::bigint[]))`,
    [...ownerOf(caller), type, locationIds ?? null],
  );
  return rowCount ?? 0;
}

/** Types that are dismissed for all locations, with the date on which they return. */
export async function dismissedTypes(sql: Sql, caller: Caller, today: string): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ type: string; until: string }>(
    `select type, to_char(until, 'YYYY-MM-DD') as until from home_dismissals
     where ${own} and location_id is null and until > $3::date`,
    [...ownerOf(caller), today],
  );
  return new Map(rows.map(({ type, until }) => [type, until]));
}

export async function dismissedLocations(sql: Sql, caller: Caller, type: string, today: string): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `select location_id as id from home_dismissals
     where ${own} and type = $4 and location_id is not null and until > $3::date`,
    [...ownerOf(caller), today, type],
  );
  return rows.map(({ id }) => id);
}

/**
 * Number of locations of a scope whose finding is dismissed today. `findingOf` maps types to findings with another
 * name.
 */
export async function countDismissed(
  sql: Sql,
  caller: Caller,
  scope: Scope,
  today: string,
  findingOf: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, number>> {
  const values: unknown[] = [...ownerOf(caller), today, [...findingOf.keys()], [...findingOf.values()]];
  const atBusinesses = { partner: '', businesses: 'and finding.business_id = any ($6::bigint[])', locations: '' }[
    scope.kind
  ];
  if (scope.kind === 'businesses') values.push(scope.businessIds);
  if (scope.kind === 'locations') values.push(scope.locationIds);
  const atLocations = scope.kind === 'locations' ? 'and home_dismissals.location_id = any ($6::bigint[])' : '';
  const { rows } = await sql.query<{ type: string; count: number }>(
    `select home_dismissals.type, count(*) from home_dismissals
     left join unnest($4::text[], $5::text[]) as other (type, finding) on other.type = home_dismissals.type
     join home_findings finding on finding.location_id = home_dismissals.location_id
       and finding.type = coalesce(other.finding, home_dismissals.type)
     where ${own} and home_dismissals.location_id is not null and until > $3::date ${atBusinesses} ${atLocations}
     group by home_dismissals.type`,
    values,
  );
  return new Map(rows.map(({ type, count }) => [type, count]));
}

export async function deleteExpiredDismissals(sql: Sql, today: string): Promise<number> {
  const { rowCount } = await sql.query('delete from home_dismissals where until <= $1::date', [today]);
  return rowCount ?? 0;
}
