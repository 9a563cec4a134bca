import type pg from 'pg';

/** The longest that a statement may take, in milliseconds, by the work that it belongs to. */
export const statementLimits = {
  /** A person or a program waits for the response. */
  request: 30_000,
  /** Deliveries wait for it: a connection that has fallen silent must be replaced soon. */
  delivery: 10_000,
  /** Roll-ups, exports and retention, over any number of rows; a job that takes longer is taken for abandoned. */
  job: 10 * 60_000,
  /** Changes of the schema, and the wait for another process that makes them. */
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
// The server cancels a statement first, and says so; this is for a server that says nothing.
const silenceMs = 3000;

// The server, too, notices that the other end is gone; on a Unix socket these have no effect.
const networkLimits = {
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '30000',
};

/** For every connection to the database: no wait for the server is without a limit. */
export function clientSettings(url: string, { name, statementLimit, settings }: ClientOptions): pg.ClientConfig {
  const limitMs = statementLimits[statementLimit];
  const session = { ...networkLimits, statement_timeout: String(limitMs), ...settings };
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    query_timeout: limitMs + silenceMs,
    // Statements are sent without waiting for each other's results; and a connection on which one got none in time is
    // closed, which the driver does in this mode only.
    pipeline: true,
    options: Object.entries(session)
      .map(([key, value]) => `-c ${key}=${value}`)
      .join(' '),
  } as pg.ClientConfig;
}
