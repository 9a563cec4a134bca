import pg from 'pg';
import { bindTrace } from '../telemetry/tracing.ts';
import { clientSettings, DatabaseClient, type statementLimits } from './client.ts';
import type { Sql } from './connection.ts';

// Ids and counts stay below 2^53, so a number is exact.
const int8 = 20;
export const types: pg.TypeOverrides = new pg.TypeOverrides();
types.setTypeParser(int8, Number);
const int8Array = 1016;
types.setTypeParser(int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)));

// Times that statements return as text are parsed.
const everySession = { timezone: 'UTC', datestyle: 'ISO', jit: 'off' };

export interface PoolOptions {
  connections: number;
  name: string;
  /** Default: request. */
  statementLimit?: keyof typeof statementLimits;
  settings?: Record<string, string>;
  /** The time to connect, and to respond to a statement; default: the limits of all connections. */
  responseMs?: number;
}

/** A pool of connections with the settings of all sessions. */
export function openPool(
  url: string,
  { connections, name, statementLimit = 'request', settings, responseMs }: PoolOptions,
  onConnect?: (client: Sql) => Promise<void> | undefined,
): pg.Pool {
  const pool = new TracedPool({
    ...clientSettings(url, { name, statementLimit, settings: { ...everySession, ...settings } }),
    ...(responseMs !== undefined && { connectionTimeoutMillis: responseMs, query_timeout: responseMs }),
    Client: DatabaseClient,
    max: connections,
    idleTimeoutMillis: 60_000,
    types,
    ...(onConnect && { onConnect }),
  } as pg.PoolConfig);
  // Without listeners, a broken connection would crash the process. The pool replaces it.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A statement that waited for a connection belongs to the trace of its caller, not of the connection's last user. */
class TracedPool extends pg.Pool {
  // biome-ignore lint/suspicious/noExplicitAny: the library has two signatures for this method
  override connect(callback?: any): any {
    return callback ? super.connect(bindTrace(callback)) : super.connect();
  }
}
