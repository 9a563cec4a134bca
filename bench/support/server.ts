import { randomBytes } from 'node:crypto';
import pg from 'pg';
import pino from 'pino';
import { startEmbeddedServer } from '../../src/database/embedded-server.ts';

export interface BenchServer {
  url: string;
  stop(): Promise<void>;
}

/** The embedded server, or a temporary database on the server of DATABASE_URL. */
export async function startServer(folder: string): Promise<BenchServer> {
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
