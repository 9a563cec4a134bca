import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import pg from 'pg';

/** Tables whose rows are updated or deleted all the time. Their size depends on vacuum, not on the number of events. */
const busyTables = [
  'delivery_queue',
  'webhook_leases',
  'webhook_health',
  'webhook_statistics',
  'request_settings',
  'graphile_worker._private_jobs',
];

interface Series {
  title: string;
  digits: number;
  /** The highest accepted value at the end of the run, given the value in its middle. */
  limit: (middle: number) => number;
}

/** Growth that is not explained by noise fails the run. */
const series = {
  memory: { title: 'memory of the service, MB', digits: 0, limit: (middle) => middle * 1.15 + 20 },
  sandbox: { title: 'memory of the sandbox, MB', digits: 0, limit: (middle) => middle * 1.15 + 20 },
  files: { title: 'open files of the service', digits: 0, limit: (middle) => middle + 50 },
  connections: { title: 'database connections', digits: 0, limit: (middle) => middle + 5 },
  busy: { title: 'size of busy tables, MB', digits: 1, limit: (middle) => middle * 1.5 + 8 },
  partitions: { title: 'partitions', digits: 0, limit: (middle) => middle + 4 },
  waiting: { title: 'waiting deliveries', digits: 0, limit: (middle) => middle * 2 + 1000 },
  lag: { title: 'age of the oldest due delivery, s', digits: 1, limit: (middle) => middle * 2 + 10 },
  jobs: { title: 'due jobs', digits: 0, limit: (middle) => middle * 2 + 50 },
} as const satisfies Record<string, Series>;

type Name = keyof typeof series;
type Sample = Record<Name, number> & { atMs: number };

/** Regular measurements of the service and its database. */
export class Samples {
  readonly #url: string;
  readonly #webhook: number;
  readonly #pids: () => { service: number; sandbox: number | undefined };
  readonly #taken: Sample[] = [];

  /** `webhook`: the one of the load. A webhook of the demo fails all the time. */
  constructor(url: string, webhook: number, pids: () => { service: number; sandbox: number | undefined }) {
    this.#url = url;
    this.#webhook = webhook;
    this.#pids = pids;
  }

  async take(): Promise<string> {
    const { service, sandbox } = this.#pids();
    const sample: Sample = {
      atMs: performance.now(),
      memory: memoryOf(service),
      sandbox: sandbox === undefined ? 0 : memoryOf(sandbox),
      files: openFiles(service),
      ...(await this.#readDatabase()),
    };
    this.#taken.push(sample);
    return names.map((name) => `${name} ${sample[name].toFixed(series[name].digits)}`).join(', ');
  }

  /** One row per series as Markdown, and the series that have grown. */
  report(): { table: string; grown: string[] } {
    const third = Math.floor(this.#taken.length / 3);
    const parts = [this.#taken.slice(0, third), this.#taken.slice(third, -third), this.#taken.slice(-third)];
    const rows = names.map((name) => {
      const values = parts.map((part) => median(part.map((sample) => sample[name])));
      const { title, digits } = series[name];
      const perHour = slopePerHour(this.#taken.slice(third), name);
      return [title, ...values.map((value) => value.toFixed(digits)), perHour.toFixed(digits)];
    });
    const header = ['', 'first third', 'second third', 'last third', 'growth per hour'];
    const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
    const grown = names.filter((name) => {
      const [, middle = 0, end = 0] = parts.map((part) => median(part.map((sample) => sample[name])));
      return end > series[name].limit(middle);
    });
    return { table: lines.join('\n'), grown: grown.map((name) => series[name].title) };
  }

  /** Jobs that are due for more than a minute, one line each. */
  async lateJobs(): Promise<string[]> {
    const rows = await this.#query(
      `select task_identifier, queue_name, attempts, max_attempts, last_error from graphile_worker.jobs
       where run_at < now() - interval '1 minute' and locked_at is null`,
    );
    return rows.map(
      ({ task_identifier, queue_name, attempts, max_attempts, last_error }) =>
        `${task_identifier} (queue ${queue_name ?? 'none'}), attempt ${attempts} of ${max_attempts}: ` +
        `${String(last_error).split('\n', 1)[0]}`,
    );
  }

  async #readDatabase(): Promise<Omit<Sample, 'atMs' | 'memory' | 'sandbox' | 'files'>> {
    const [row = {}] = await this.#query(statement, [busyTables, this.#webhook]);
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])) as never;
  }

  /** With a new connection: those of the service are closed by a fault. */
  async #query(text: string, given: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 10_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text, given)).rows;
    } finally {
      await client.end();
    }
  }
}

const names = Object.keys(series) as Name[];

const statement = `
  select
    (select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())
      as connections,
    (select sum(pg_total_relation_size(name::regclass)) / 1e6 from unnest($1::text[]) as name) as busy,
    (select count(*) from pg_inherits) as partitions,
    (select count(*) from delivery_queue where webhook_id = $2) as waiting,
    (select coalesce(extract(epoch from now() - min(due_at)), 0) from delivery_queue
     where webhook_id = $2 and due_at < now()) as lag,
    (select count(*) from graphile_worker.jobs where run_at < now() and locked_at is null) as jobs`;

const memoryOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

/** 0 where the system does not show them. */
const openFiles = (pid: number): number => (existsSync(`/proc/${pid}/fd`) ? readdirSync(`/proc/${pid}/fd`).length : 0);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Slope of the regression line. */
function slopePerHour(samples: readonly Sample[], name: Name): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const meanTime = mean(({ atMs }) => atMs);
  const meanValue = mean((sample) => sample[name]);
  const covariance = mean((sample) => (sample.atMs - meanTime) * (sample[name] - meanValue));
  const variance = mean(({ atMs }) => (atMs - meanTime) ** 2);
  return variance === 0 ? 0 : (covariance / variance) * 3_600_000;
}
