import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';

/** Undefined if the caller has no selection. Private keys share one selection per partner. */
export async function chosenMetrics(sql: Sql, { partnerId, user }: Caller): Promise<string[] | undefined> {
  const { rows } = await sql.query<{ metrics: string[] }>(
    'select metrics from home_key_metrics where partner_id = $1 and user_id is not distinct from $2',
    [partnerId, user?.id ?? null],
  );
  return rows[0]?.metrics;
}

export async function chooseMetrics(sql: Sql, { partnerId, user }: Caller, metrics: readonly string[]): Promise<void> {
  await sql.query(
    `insert into home_key_metrics (partner_id, user_id, metrics) values ($1, $2, $3)
     on conflict (partner_id, user_id) do update set metrics = excluded.metrics, last_updated = now()`,
    [partnerId, user?.id ?? null, metrics],
  );
}
