import type pg from 'pg';

/** Statement timeouts in milliseconds. */
export const statementLimits = {
  /** A client waits for the response. */
  request: 30_000,
  /** Deliveries wait: an unresponsive connection must be replaced soon. */
  delivery: 10_000,
  /** Roll-ups, exports and retention. A job that takes longer counts as abandoned. */
  job: 10 * 60_000,
  /** Schema changes, including the wait for the lock of another process. */
  migration: 24 * 3_600_000,
} as const;

export interface ClientOptions {
  /** Shown in pg_stat_activity. */
  name: string;
  statementLimit: keyof typeof statementLimits;
  /** Settings of the session. */
  settings?: Record<string, string>;
}

const connectMs = 10_000;
const keepAliveMs = 10_000;
// Added to the statement timeout, for a server that does not respond.
const unresponsiveMs = 3000;

// The server detects lost clients; no effect on Unix sockets.
const networkLimits = {
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '30000',
};

/** Settings of every connection: each wait for the server has a timeout. */
export function clientSettings(url: string, { name, statementLimit, settings }: ClientOptions): pg.ClientConfig {
  const limitMs = statementLimits[statementLimit];
  const session = { ...networkLimits, statement_timeout: String(limitMs), ...settings };
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    query_timeout: limitMs + unresponsiveMs,
    // Pipelining; also, pg closes a connection after a query timeout in this mode only.
    pipeline: true,
    options: Object.entries(session)
      .map(([key, value]) => `-c ${key}=${value}`)
      .join(' '),
  } as pg.ClientConfig;
}
