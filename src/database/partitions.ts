import type { Sql } from './connection.ts';

// Other statements queue behind a waiting lock.
const lockTimeout = '3s';

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
