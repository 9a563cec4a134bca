import type { Transaction } from '../../src/database/transaction.ts';
import { eachDay } from '../../src/modules/analytics/dashboard/insights/insight-figures.ts';
import { allBusinesses } from '../../src/modules/analytics/dashboard/roll-up.ts';

/** Rebuilds the insight figures of a partner from its insights, without the deltas. */
export async function recountInsights(transaction: Transaction, partnerId: number): Promise<void> {
  await transaction.query('lock table insight_deltas in exclusive mode');
  await transaction.query('delete from insight_deltas where partner_id = $1', [partnerId]);
  await transaction.query('delete from insight_figures where partner_id = $1', [partnerId]);
  await transaction.query(
    `with by_business as (
       select business_id, directory_type, month, metric,
         ${eachDay((day) => `coalesce(sum(counts[${day}]), 0)::bigint`)} as counts,
         ${eachDay((day) => `count(counts[${day}])::integer`)} as known,
         sum(total)::bigint as total, sum(cardinality(array_remove(counts, null)))::bigint as known_days
       from insights join locations on locations.id = location_id
       where insights.partner_id = $1 and status <> 'DELETED'
       group by business_id, directory_type, month, metric
     ), everywhere as (
       select ${allBusinesses}::bigint as business_id, directory_type, month, metric,
         ${eachDay((day) => `sum(counts[${day}])::bigint`)} as counts,
         ${eachDay((day) => `sum(known[${day}])::integer`)} as known,
         sum(total)::bigint as total, sum(known_days)::bigint as known_days
       from by_business group by directory_type, month, metric
     )
     insert into insight_figures (partner_id, business_id, directory_type, month, metric, counts, known, total, known_days)
     select $1, * from (select * from by_business union all select * from everywhere) as counted`,
    [partnerId],
  );
}
