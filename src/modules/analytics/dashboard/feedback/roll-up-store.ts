import type { Sql } from '../../../../database/connection.ts';

/** Returns the number of folded deltas, or null if another process is folding. */
export async function foldDeltas(sql: Sql, limit: number): Promise<number | null> {
  const { rows } = await sql.query<{ folded: number | null }>('select fold_feedback($1) as folded', [limit]);
  return rows[0]?.folded ?? null;
}

export async function findRolledUpBusinesses(sql: Sql, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    'select business_id as id from feedback_businesses where business_id = any ($1::bigint[]) order by business_id',
    [ids],
  );
  return rows.map(({ id }) => id);
}

export async function findBusinessesToRollUp(sql: Sql, locations: number, limit: number): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `select business_id as id from locations where status <> 'DELETED'
     group by business_id having count(*) >= $1
     except select business_id from feedback_businesses
     limit $2`,
    [locations, limit],
  );
  return rows.map(({ id }) => id);
}

export async function beginRollUp(sql: Sql, businessId: number): Promise<void> {
  await sql.query('select begin_feedback_business($1)', [businessId]);
}
