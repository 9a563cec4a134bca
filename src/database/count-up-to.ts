import type { Conditions } from './conditions.ts';
import type { Sql } from './connection.ts';

/** How many rows of a table fit, if not more than the limit: then it is the limit, and no more were looked at. */
export async function countUpTo(sql: Sql, table: string, conditions: Conditions, limit: number): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from (select from ${table} ${conditions.where} limit ${conditions.value(limit)}) as matching`,
    conditions.values,
  );
  return rows[0]?.count ?? 0;
}
