import type { Sql } from '../../../database/connection.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { datapointStatuses } from './datapoint.ts';

/**
 * The words that a text must contain, as the index stores them: a tsquery for each month of the inbox, oldest first.
 * Null if the query requires no words.
 */
export async function monthlyWords(sql: Sql, partnerId: number, query: string): Promise<string[] | null> {
  const [found] = await run(sql, selectMonthlyWords, [partnerId, query]);
  return found?.words ?? null;
}

const threadDates = (order: 'asc' | 'desc') =>
  datapointStatuses
    .map(
      (status) => `(select thread_action_date from datapoints where partner_id = $1 and status = '${status}'
                    order by thread_action_date ${order}, id ${order} limit 1)`,
    )
    .join(', ');

const selectMonthlyWords = defineStatement<{ words: string[] | null }>({
  name: 'monthly-words',
  text: `with query as materialized (select querytree(websearch_to_tsquery('simple', $2)) as required),
         ends as (
           select month_of(least(${threadDates('asc')})) as first, month_of(greatest(${threadDates('desc')})) as last
         )
         select case when required not in ('T', '') then array(
           select words_of($1, month, required::tsquery)::text from generate_series(ends.first, ends.last) as month
           order by month
         ) end as words
         from query, ends`,
  columns: { words: 'text[]' },
});
