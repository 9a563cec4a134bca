import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import pino from 'pino';
import type { PoolOptions } from '../../src/database/client.ts';
import { Database } from '../../src/database/connection.ts';
import { startEmbeddedServer } from '../../src/database/embedded-server.ts';
import { migrate } from '../../src/database/migrate.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { createPartner } from '../../src/modules/accounts/partners/partner-store.ts';

/** A migrated database and the processes that a benchmark starts. */
export interface Bench {
  folder: string;
  database: Database;
  masterKey: Buffer;
  addPartner(identifier?: string): ReturnType<typeof createPartner>;
  /** The API process, as in production. */
  startService(): Promise<{ origin: string; stop(): void }>;
  /** Runs before the database is closed. */
  atEnd(stop: () => unknown): void;
}

/** Runs a benchmark on a new database, and removes everything afterwards. */
export async function withBench(
  work: (bench: Bench) => Promise<void>,
  { connections = 2, statementLimit = 'job' }: Partial<PoolOptions> = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-bench-'));
  const masterKey = randomBytes(32);
  const server = await startServer(folder);
  const database = new Database(server.url, { connections, name: 'waypost bench driver', statementLimit });
  const stops: (() => unknown)[] = [];
  const atEnd = (stop: () => unknown) => void stops.push(stop);
  try {
    await migrate(database);
    await work({
      folder,
      database,
      masterKey,
      addPartner: (identifier = 'bench') =>
        createPartner(database.pool, new Sealer(masterKey), { identifier, name: 'Bench' }),
      async startService() {
        const service = await startService(server.url, masterKey, folder);
        atEnd(service.stop);
        return service;
      },
      atEnd,
    });
  } finally {
    for (const stop of stops) await stop();
    await database.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The embedded server, or a temporary database on the server of DATABASE_URL. */
async function startServer(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const { DATABASE_URL: own } = process.env;
  if (!own) return startEmbeddedServer({ dataDir: folder, log: pino({ level: 'warn' }) });
  const name = `waypost_bench_${randomBytes(4).toString('hex')}`;
  await administer(own, `create database ${name}`);
  const url = new URL(own);
  url.pathname = name;
  return { url: url.href, stop: () => administer(own, `drop database ${name} with (force)`) };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function startService(databaseUrl: string, masterKey: Buffer, dataDir: string) {
  const port = await freePort();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../src/main.ts', import.meta.url)), 'serve'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      WAYPOST_DATA_DIR: join(dataDir, 'service'),
      WAYPOST_MASTER_KEY: masterKey.toString('base64'),
      WAYPOST_DEMO: 'off',
      WAYPOST_SANDBOX: 'off',
      WAYPOST_RATE_LIMIT: '10000000',
      WAYPOST_LOG_LEVEL: 'warn',
      WAYPOST_REQUIRE_HTTPS: 'off',
      WAYPOST_ALLOW_TARGETS: '127.0.0.0/8',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  for (;;) {
    const ready = await fetch(`${origin}/health/ready`).catch(() => undefined);
    if (ready?.ok) break;
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
    await pause(100);
  }
  return { origin, stop: () => child.kill('SIGTERM') };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
