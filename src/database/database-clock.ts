import type { Sql } from './connection.ts';

/** The time of the database server, for occasional use. */
export async function databaseNow(sql: Sql): Promise<Date> {
  const { rows } = await sql.query<{ now: Date }>({ name: 'database-now', text: 'select clock_timestamp() as now' });
  return (rows[0] as { now: Date }).now;
}

/**
 * The time of the database server, shared by all processes; due times are computed and compared with it. Between readings
 * it follows the monotonic clock of the process, because the wall clock may be wrong.
 */
export class DatabaseClock {
  #offsetMs = Date.now() - performance.now();

  async read(sql: Sql): Promise<void> {
    const began = performance.now();
    const { rows } = await sql.query<{ now: number }>({
      name: 'read-clock',
      text: 'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
    });
    const [row] = rows;
    if (row) this.#offsetMs = row.now - (began + performance.now()) / 2;
  }

  /** Milliseconds since 1970. */
  nowMs(): number {
    return performance.now() + this.#offsetMs;
  }

  now(): Date {
    return new Date(this.nowMs());
  }
}
