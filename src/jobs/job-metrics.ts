import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Sql } from '../database/connection.ts';
import { defineStatement, run } from '../database/statement.ts';
import { singleFlight } from '../values/single-flight.ts';

const buckets = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];

/** Durations of the jobs that this process runs. */
export class JobMetrics {
  readonly #duration: Histogram;

  constructor(registry: Registry) {
    this.#duration = new Histogram({
      name: 'waypost_job_duration_seconds',
      help: 'Duration of a run of a job; a failed run is repeated until its attempts are used up',
      labelNames: ['name', 'outcome'],
      buckets,
      registers: [registry],
    });
  }

  async measure<T>(name: string, work: () => Promise<T>): Promise<T> {
    const end = this.#duration.startTimer({ name });
    try {
      const result = await work();
      end({ outcome: 'succeeded' });
      return result;
    } catch (error) {
      end({ outcome: 'failed' });
      throw error;
    }
  }
}

// Limits the cost of a scrape when many jobs are queued.
const maxCounted = 100_000;
const overdueAfter = '1 minute';

const help = {
  queued: 'Jobs that wait for a worker or for their time',
  overdue: `Queued jobs whose time was more than ${overdueAfter} ago`,
  failed: 'Jobs that used up their attempts',
};

/** Jobs of the whole installation, read from the database at each scrape. */
export function registerJobQueueMetrics(registry: Registry, sql: Sql): void {
  /** The gauges of a scrape share one query. */
  const read = singleFlight(() => run(sql, countStatement));
  for (const state of ['queued', 'overdue', 'failed'] as const) {
    const gauge: Gauge = new Gauge({
      name: `waypost_jobs_${state}`,
      help: `${help[state]} (counted up to ${maxCounted})`,
      labelNames: ['name'],
      registers: [registry],
      async collect() {
        // During a database outage the gauges keep their last values.
        const counts = await read().catch(() => undefined);
        if (!counts) return;
        gauge.reset();
        for (const { name, ...count } of counts) gauge.set({ name }, count[state]);
      },
    });
  }
}

interface JobCount {
  name: string;
  queued: number;
  overdue: number;
  failed: number;
}

const countStatement = defineStatement<JobCount>({
  name: 'count-jobs',
  text: `
    select name, count(*) filter (where not is_failed)::integer as queued,
      count(*) filter (where not is_failed and run_at < now() - interval '${overdueAfter}')::integer as overdue,
      count(*) filter (where is_failed)::integer as failed
    from (
      select task_identifier as name, run_at, attempts >= max_attempts as is_failed
      from graphile_worker.jobs where locked_at is null limit ${maxCounted}
    ) as counted
    group by name
  `,
  columns: { name: 'text', queued: 'int4', overdue: 'int4', failed: 'int4' },
});
