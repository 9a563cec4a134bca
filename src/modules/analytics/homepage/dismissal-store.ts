import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Sql } from '../../../database/connection.ts';
import { anyOf, db, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { Scope } from '../../locations/index.ts';

/** Dismissals belong to a user, or to the private key. */
function isOwn({ partnerId, user }: Caller): Expression<SqlBool> {
  const eb = expressionBuilder<DB, 'homeDismissals'>();
  return eb.and([
    eb('homeDismissals.partnerId', '=', partnerId),
    eb('homeDismissals.userId', 'is not distinct from', user?.id ?? null),
  ]);
}

const date = (day: string) => raw<Date>`${day}::date`;

/** Without locations, for all locations. Existing dismissals get the new date. */
export async function upsertDismissals(
  sql: Sql,
  { partnerId, user }: Caller,
  type: string,
  locationIds: readonly number[] | undefined,
  until: string,
): Promise<void> {
  await run(sql, upsert, [partnerId, user?.id ?? null, type, locationIds ?? [null], until]);
}

const upsert = defineStatement({
  name: 'home-upsert-dismissals',
  text: `insert into home_dismissals (partner_id, user_id, type, location_id, until)
         select distinct $1::bigint, $2::bigint, $3, location_id, $5::date from unnest($4::bigint[]) as location_id
         on conflict (partner_id, user_id, type, location_id) do update
           set until = excluded.until, date_created = now()`,
});

/** Returns the number of deleted dismissals. Without locations, all of the type. */
export async function deleteDismissals(
  sql: Sql,
  caller: Caller,
  type: string,
  locationIds: readonly number[] | undefined,
): Promise<number> {
  let dismissals = db(sql).deleteFrom('homeDismissals').where(isOwn(caller)).where('type', '=', type);
  if (locationIds) dismissals = dismissals.where('locationId', '=', anyOf(locationIds, 'bigint'));
  const { numDeletedRows } = await dismissals.executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Types that are dismissed for all locations, with the date on which they return. */
export async function dismissedTypes(sql: Sql, caller: Caller, today: string): Promise<Map<string, string>> {
  const dismissals = await db(sql)
    .selectFrom('homeDismissals')
    .select(({ ref }) => ['type', raw<string>`to_char(${ref('until')}, 'YYYY-MM-DD')`.as('until')])
    .where(isOwn(caller))
    .where('locationId', 'is', null)
    .where('until', '>', date(today))
    .execute();
  return new Map(dismissals.map(({ type, until }) => [type, until]));
}

export async function dismissedLocations(sql: Sql, caller: Caller, type: string, today: string): Promise<number[]> {
  const dismissals = await db(sql)
    .selectFrom('homeDismissals')
    .select('locationId')
    .where(isOwn(caller))
    .where('type', '=', type)
    .where('locationId', 'is not', null)
    .where('until', '>', date(today))
    .$narrowType<{ locationId: number }>()
    .execute();
  return dismissals.map(({ locationId }) => locationId);
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
  const others = raw<{ type: string; finding: string }>`
    unnest(${[...findingOf.keys()]}::text[], ${[...findingOf.values()]}::text[])`;
  let dismissals = db(sql)
    .selectFrom('homeDismissals')
    .leftJoin(others.as<'other'>(raw`other (type, finding)`), 'other.type', 'homeDismissals.type')
    .innerJoin('homeFindings as finding', (join) =>
      join
        .onRef('finding.locationId', '=', 'homeDismissals.locationId')
        .on(({ eb, fn }) => eb('finding.type', '=', fn.coalesce('other.finding', 'homeDismissals.type'))),
    )
    .select(({ fn }) => ['homeDismissals.type', fn.countAll<number>().as('count')])
    .where(isOwn(caller))
    .where('homeDismissals.locationId', 'is not', null)
    .where('until', '>', date(today));
  if (scope.kind === 'businesses') {
    dismissals = dismissals.where('finding.businessId', '=', anyOf(scope.businessIds, 'bigint'));
  }
  if (scope.kind === 'locations') {
    dismissals = dismissals.where('homeDismissals.locationId', '=', anyOf(scope.locationIds, 'bigint'));
  }
  const counts = await dismissals.groupBy('homeDismissals.type').execute();
  return new Map(counts.map(({ type, count }) => [type, count]));
}

export async function deleteExpiredDismissals(sql: Sql, today: string): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('homeDismissals')
    .where('until', '<=', date(today))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
