import type { Sql } from '../../../database/connection.ts';
import type { CountedUse } from './deprecated-use.ts';
import { maxDays } from './deprecated-use.ts';

export async function addUses(sql: Sql, uses: readonly CountedUse[]): Promise<void> {
  if (uses.length === 0) return;
  await sql.query(
    `insert into deprecated_use as known (partner_id, day, version, name, replaced_by, count, last_used)
     select partner_id, last_used::date, version, name, replaced_by, count, last_used
     from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
       as used (partner_id, version, name, replaced_by, count, last_used)
     order by partner_id, last_used::date, version, name, replaced_by
     on conflict (partner_id, day, version, name, replaced_by) do update
       set count = known.count + excluded.count, last_used = greatest(known.last_used, excluded.last_used)`,
    [
      uses.map(({ partnerId }) => partnerId),
      uses.map(({ version }) => version),
      uses.map(({ name }) => name),
      uses.map(({ replacedBy }) => replacedBy),
      uses.map(({ count }) => count),
      uses.map(({ lastUsed }) => lastUsed),
    ],
  );
}

/** Most recently used first. */
export async function listUses(sql: Sql, partnerId: number, days: number): Promise<CountedUse[]> {
  const { rows } = await sql.query<CountedUse>(
    `select partner_id as "partnerId", version, name, replaced_by as "replacedBy", sum(count)::bigint as count,
       max(last_used) as "lastUsed"
     from deprecated_use where partner_id = $1 and day > current_date - $2::int
     group by partner_id, version, name, replaced_by
     order by max(last_used) desc, name, version`,
    [partnerId, days],
  );
  return rows;
}

export async function deleteOldUses(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query('delete from deprecated_use where day <= current_date - $1::int', [maxDays]);
  return rowCount ?? 0;
}
