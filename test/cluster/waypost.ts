import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { commands } from '../../src/cli/commands.ts';
import { type Programs, until } from '../support/programs.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

export const apiNodes = ['api1', 'api2'] as const;
export const workers = ['worker1', 'worker2'] as const;

/** Events per second of a replay: slow enough that it is in progress during a fault. */
const replayRate = 20;
const replayedEvents = 300;

/** The URLs of the primary and of a replica, both through HAProxy. */
interface DatabaseUrls {
  primary: string;
  replica: string;
}

/** Two API nodes and two workers on the database behind HAProxy. */
export class Waypost {
  privateKey = '';
  readonly #folder: string;
  readonly #programs: Programs;
  readonly #databaseUrl: string;
  readonly #ports: Record<(typeof apiNodes)[number], number>;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(
    folder: string,
    { primary, replica }: DatabaseUrls,
    ports: Record<(typeof apiNodes)[number], number>,
    programs: Programs,
  ) {
    this.#folder = folder;
    this.#databaseUrl = primary;
    this.#ports = ports;
    this.#programs = programs;
    this.#environment = {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      DATABASE_URL: primary,
      DATABASE_READ_URL: replica,
      WAYPOST_MASTER_KEY: randomBytes(32).toString('base64'),
      WAYPOST_DEMO: 'off',
      WAYPOST_CONSOLE: 'off',
      WAYPOST_EMIT_EXAMPLES: 'on',
      WAYPOST_ALLOW_TARGETS: '127.0.0.0/8',
      WAYPOST_TRUSTED_PROXY: '127.0.0.0/8',
      WAYPOST_RATE_LIMIT: '1000000',
      WAYPOST_LOG_FORMAT: 'json',
      WAYPOST_LOG_LEVEL: 'warn',
    };
  }

  async start(): Promise<void> {
    if ('migrate' in commands) await this.#command('migrate');
    const { stdout } = await this.#command('partners', 'create', '--identifier', 'cluster', '--name', 'Cluster');
    this.privateKey = /^privateKey\s+(\S+)/m.exec(stdout)?.[1] ?? '';
    for (const name of apiNodes) this.startApi(name);
    for (const name of workers) this.startWorker(name);
    await until('the API nodes are ready and use a replica', () => this.isReady());
  }

  startApi(name: (typeof apiNodes)[number]): void {
    this.#start(name, 'serve', { PORT: String(this.#ports[name]) });
  }

  startWorker(name: (typeof workers)[number]): void {
    this.#start(name, 'work', {});
  }

  urlOf(name: (typeof apiNodes)[number]): string {
    return `http://127.0.0.1:${this.#ports[name]}`;
  }

  /** Whether the API nodes are ready and use a replica. */
  async isReady(): Promise<boolean> {
    const ready = await Promise.all(
      apiNodes.map(async (name) => {
        const reply = await fetch(`${this.urlOf(name)}/health/ready`, limited(5000));
        const { response } = (await reply.json()) as { response?: { replica?: { state: string } } };
        return reply.ok && response?.replica?.state === 'used';
      }),
    );
    return ready.every(Boolean);
  }

  async createWebhook(pushUrl: string, type: string): Promise<number> {
    return (await this.#call('POST', '/api/sales-partners/webhooks', { pushUrl, type })).id as number;
  }

  /** Records the events that replays send again. */
  async emitReplayed(type: string): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < replayedEvents) {
      const { eventIds } = await this.#call('POST', `/api/event-types/${type}/emit`, { count: 100 });
      ids.push(...(eventIds as number[]));
    }
    return ids;
  }

  async startReplay(webhook: number): Promise<number> {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const body = { since, states: ['DELIVERED'], ratePerSecond: replayRate };
    return (await this.#call('POST', `/api/sales-partners/webhooks/${webhook}/replay`, body)).id as number;
  }

  async replayStatus(webhook: number, id: number): Promise<{ status: string }> {
    return (await this.#call('GET', `/api/sales-partners/webhooks/${webhook}/replays/${id}`)) as never;
  }

  /** Enqueues a job and waits until a worker has run it. */
  async untilJobRuns(): Promise<void> {
    let id: number | undefined;
    await until('a job runs', async () => {
      const client = new pg.Client({ connectionString: this.#databaseUrl, connectionTimeoutMillis: 5000 });
      client.on('error', () => {});
      await client.connect();
      try {
        id ??= (await client.query("select (graphile_worker.add_job('upkeep')).id")).rows[0].id;
        const { rowCount } = await client.query('select from graphile_worker.jobs where id = $1', [id]);
        return rowCount === 0;
      } finally {
        await client.end();
      }
    });
  }

  #start(name: string, command: string, env: NodeJS.ProcessEnv): void {
    const dataDir = join(this.#folder, name);
    mkdirSync(dataDir, { recursive: true });
    this.#programs.start(name, [process.execPath, main, command], {
      ...this.#environment,
      WAYPOST_DATA_DIR: dataDir,
      ...env,
    });
  }

  #command(...args: string[]) {
    const env = { ...this.#environment, WAYPOST_DATA_DIR: this.#folder };
    return promisify(execFile)(process.execPath, [main, ...args], { env, timeout: 120_000 });
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(this.urlOf('api2') + path, {
      method,
      headers: { privateKey: this.privateKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...limited(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text).response;
  }
}

const limited = (ms: number) => ({ signal: AbortSignal.timeout(ms) });
