import type { Sql } from '../../../database/connection.ts';
import { db, raw } from '../../../database/query-builder.ts';
import { defineStatement, run, runUnprepared } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import type { Scope } from '../../locations/index.ts';
import { allBusinesses } from '../dashboard/roll-up.ts';
import { columnName, type HomeLocation } from './home-location-store.ts';

/** Sums over locations. */
const columns = {
  locations: 'int4',
  scoreSum: 'int8',
  completenessSum: 'int8',
  listings: 'int8',
  listingsInSync: 'int8',
} as const;

export type Totals = Record<keyof typeof columns, number>;

export const totalNames = Object.keys(columns) as readonly (keyof Totals)[];
const sums = totalNames.map(columnName);

const sumOf = (name: keyof Totals) => `coalesce(sum(${columnName(name)}), 0)::${columns[name]} as ${columnName(name)}`;

/** Adds changes to the latest totals and stores them under `day`. */
export async function addToTotals(
  transaction: Transaction,
  partnerId: number,
  day: string,
  changes: readonly (Totals & { businessId: number })[],
): Promise<void> {
  const businessIds = changes.map(({ businessId }) => businessId);
  const values = totalNames.map((name) => changes.map((change) => change[name]));
  await run(transaction, addTotals, [partnerId, day, businessIds, ...values]);
}

const addTotals = defineStatement({
  name: 'home-add-to-totals',
  text: `insert into home_totals (partner_id, business_id, day, ${sums.join(', ')})
         select $1, change.business_id, greatest($2::date, latest.day),
           ${sums.map((sum) => `coalesce(latest.${sum}, 0) + change.${sum}`).join(', ')}
         from unnest($3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
           as change (business_id, ${sums.join(', ')})
         left join lateral (
           select * from home_totals where partner_id = $1 and home_totals.business_id = change.business_id
           order by day desc limit 1
         ) as latest on true
         on conflict (partner_id, business_id, day) do update set ${sums.map((sum) => `${sum} = excluded.${sum}`).join(', ')}`,
});

const historyNames = ['score', 'completeness', 'listings', 'listingsInSync'] as const;

/** Identifies the values that the history of a location stores. */
export const historyKey = (location: HomeLocation) => historyNames.map((name) => location[name]).join(' ');

/** Stores the daily values of locations, for figures of selected locations. */
export async function upsertLocationDays(
  transaction: Transaction,
  day: string,
  locations: readonly HomeLocation[],
): Promise<void> {
  const ids = locations.map(({ locationId }) => locationId);
  const values = historyNames.map((name) => locations.map((location) => location[name]));
  await run(transaction, upsertDays, [day, ids, ...values]);
}

const upsertDays = defineStatement({
  name: 'home-put-location-days',
  text: `insert into home_location_days (location_id, day, score, completeness, listings, listings_in_sync)
         select location.id, $1::date, score, completeness, listings, listings_in_sync
         from unnest($2::bigint[], $3::smallint[], $4::smallint[], $5::integer[], $6::integer[])
           as location (id, score, completeness, listings, listings_in_sync)
         on conflict (location_id, day) do update
           set score = excluded.score, completeness = excluded.completeness, listings = excluded.listings,
             listings_in_sync = excluded.listings_in_sync`,
});

/** Totals at the end of a day, or the current totals without a day. */
export async function totalsOf(sql: Sql, scope: Scope, day: string | null): Promise<Totals> {
  const [totals] = await (scope.kind === 'locations'
    ? runUnprepared(sql, totalsOfLocations, [scope.locationIds, day])
    : runUnprepared(sql, totalsOfBusinesses, [
        scope.kind === 'partner' ? [allBusinesses] : scope.businessIds,
        day,
        scope.partnerId,
      ]));
  return totals as Totals;
}

const latestTotals = (name: string, latest: string) =>
  defineStatement<Totals>({
    name,
    text: `select ${totalNames.map(sumOf).join(', ')}
           from unnest($1::bigint[]) as asked (id) cross join lateral (
             ${latest} and ($2::date is null or day <= $2) order by day desc limit 1
           ) as stood`,
    columns,
  });

const totalsOfLocations = latestTotals(
  'home-totals-of-locations',
  `select 1 as locations, score as score_sum, completeness as completeness_sum, listings, listings_in_sync
   from home_location_days where location_id = asked.id`,
);

const totalsOfBusinesses = latestTotals(
  'home-totals-of-businesses',
  'select * from home_totals where partner_id = $3 and business_id = asked.id',
);

/** Keeps the last row before the date, which holds the values of that date. */
export async function deleteOldLocationDays(sql: Sql, before: string): Promise<number> {
  const limit = raw<Date>`${before}::date`;
  const { numDeletedRows } = await db(sql)
    .deleteFrom('homeLocationDays as old')
    .where('day', '<', limit)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('homeLocationDays as later')
          .whereRef('later.locationId', '=', 'old.locationId')
          .whereRef('later.day', '>', 'old.day')
          .where('later.day', '<=', limit),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
