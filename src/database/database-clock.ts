import type { Sql } from './connection.ts';
import { defineStatement, run } from './statement.ts';

const readNow = defineStatement<{ now: Date }>({
  name: 'database-now',
  text: 'select clock_timestamp() as now',
  columns: { now: 'timestamptz' },
});

/** The time of the database server, for occasional use. */
export async function databaseNow(sql: Sql): Promise<Date> {
  const [row] = await run(sql, readNow);
  return (row as { now: Date }).now;
}

const readEpochMs = defineStatement<{ now: number }>({
  name: 'read-clock',
  text: 'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  columns: { now: 'float8' },
});

/**
 * The time of the database server, shared by all processes; due times are computed and compared with it. Between readings
 * it follows the monotonic clock of the process, because the wall clock may be wrong.
 */
export class DatabaseClock {
  #offsetMs = Date.now() - performance.now();

  async read(sql: Sql): Promise<void> {
    const began = performance.now();
    const [row] = await run(sql, readEpochMs);
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
