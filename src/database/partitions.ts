import type { Sql } from './connection.ts';

// Partitions are created this many days ahead, so that a stopped maintenance job is noticed in time.
const daysAhead = 7;
/** Other statements queue behind a waiting lock. */
export const lockTimeout = '3s';

const parents = ['events', 'attempts'];

/** Creates missing day partitions. One statement per table: a new partition locks its table until the commit. */
export async function ensurePartitions(sql: Sql): Promise<void> {
  for (const parent of parents) {
    await sql.query('select ensure_day_partitions($1, current_date - 1, current_date + $2::integer)', [
      parent,
      daysAhead,
    ]);
  }
}

/** Names of the day partitions from today on that `ensurePartitions` would create. */
export async function missingPartitions(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `select name from unnest($1::text[]) as parent, generate_series(0, $2::integer) as ahead,
       concat_ws('_', parent, to_char(current_date + ahead, 'YYYYMMDD')) as name
     where to_regclass(name) is null order by name`,
    [parents, daysAhead],
  );
  return rows.map(({ name }) => name);
}

/** Drops day partitions that end before a date, without blocking readers or writers. Returns their names. */
export async function dropPartitionsBefore(sql: Sql, parents: readonly string[], before: Date): Promise<string[]> {
  const dropped: string[] = [];
  for (const parent of parents) {
    for (const { name, detached, pending } of await partitionsBefore(sql, parent, before)) {
      // DETACH CONCURRENTLY waits for running queries without blocking new ones.
      if (pending) await sql.query(`alter table ${parent} detach partition ${name} finalize`);
      else if (!detached) await sql.query(`alter table ${parent} detach partition ${name} concurrently`);
      await sql.query(`set lock_timeout = '${lockTimeout}'; drop table ${name}; reset lock_timeout`);
      dropped.push(name);
    }
  }
  return dropped;
}

interface Partition {
  name: string;
  detached: boolean;
  pending: boolean;
}

/** Found by name, to include partitions that an interrupted run detached but did not drop. */
async function partitionsBefore(sql: Sql, parent: string, before: Date): Promise<Partition[]> {
  const { rows } = await sql.query<Partition>(
    `select child.relname as name, inherits.inhrelid is null as detached,
       coalesce(inherits.inhdetachpending, false) as pending
     from pg_class child
     left join pg_inherits inherits on inherits.inhrelid = child.oid
     where child.relkind = 'r' and child.relnamespace = 'public'::regnamespace
       and child.relname ~ ('^' || $1 || '_[0-9]{8}$')
       and to_date(right(child.relname, 8), 'YYYYMMDD') + 1 <= $2::timestamptz at time zone 'UTC'
     order by child.relname`,
    [parent, before],
  );
  return rows;
}
