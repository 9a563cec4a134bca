import { randomInt } from 'node:crypto';
import { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { bindTrace, errorAttributes, type OpenSpan, startStatementSpan } from '../telemetry/tracing.ts';
import type { Sql } from './connection.ts';
import { markDatabaseError } from './faults.ts';
import { Layouts, PreparedQuery, type PreparedStatement } from './prepared-query.ts';

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

interface ClientOptions {
  /** Shown in pg_stat_activity. */
  name: string;
  statementLimit: keyof typeof statementLimits;
  /** Settings of the session. */
  settings?: Record<string, string>;
}

const connectMs = 10_000;
const keepAliveMs = 10_000;
/** The server ends transactions of processes that hang: their locks, and events recorded after theirs, would wait. */
const idleTransactionMs = 60_000;
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
  const session = {
    ...networkLimits,
    statement_timeout: String(limitMs),
    idle_in_transaction_session_timeout: String(idleTransactionMs),
    ...settings,
  };
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

/** Prepared statements per connection; other statements are parsed on every use. */
const maxNames = 500;
/** Statements that a connection has sent once. */
const maxCandidates = 500;

/**
 * The names of a connection's prepared statements. A statement is prepared on its second use: many combinations of list
 * filters are used only once.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #candidates = new LRUCache<string, true>({ max: maxCandidates });

  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maxNames) return known;
    if (!this.#candidates.delete(text)) {
      this.#candidates.set(text, true);
      return undefined;
    }
    const name = `statement-${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}

/** Identifies this process in the database. It holds an advisory lock with this number while it runs. */
export const processId: number = randomInt(1, 2 ** 31 - 1);

/** Prepares repeated statements, and marks errors of its connection, so that `isDatabaseUnavailable` recognizes them. */
export class DatabaseClient extends pg.Client {
  readonly statementNames = new StatementNames();
  readonly #socket: Socket;
  readonly #layouts: Layouts;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    this.#layouts = new Layouts(config?.types ?? pg.types);
  }

  /** Buffers writes until the returned function is called: one packet for several statements. Without effect on TLS. */
  corkWrites(): () => void {
    this.#socket.cork();
    return () => this.#socket.uncork();
  }

  // biome-ignore lint/suspicious/noExplicitAny: the library has two signatures for this method
  override connect(callback?: any): any {
    if (!callback) return super.connect().catch(rethrowMarked);
    super.connect((error: Error | null) => {
      if (error) markDatabaseError(error);
      callback(error);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the library has ten signatures for this method
  override query(statement: any, values?: any, callback?: any): any {
    const span = startStatementSpan(statement);
    if (!span) return this.#send(statement, values, callback);
    if (callback) return this.#send(statement, values, withEnd(span, callback));
    const result = this.#send(statement, typeof values === 'function' ? withEnd(span, values) : values);
    if (result instanceof Promise)
      result.then(
        () => span.end(),
        (error) => endFailed(span, error),
      );
    else if (typeof values !== 'function') span.end();
    return result;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  #send(statement: any, values?: any, callback?: any): any {
    const prepared = this.#prepared(statement, values);
    if (prepared && callback) return super.query(prepared as never, marking(callback));
    if (prepared) return this.#promised(prepared);
    const result =
      typeof values === 'function'
        ? super.query(statement, marking(values))
        : super.query(statement, values, callback && marking(callback));
    return (result as unknown) instanceof Promise
      ? (result as unknown as Promise<unknown>).catch(rethrowMarked)
      : result;
  }

  /** Undefined for a statement that is sent without a name. */
  #prepared(statement: string | PreparedStatement, values: unknown): PreparedQuery | undefined {
    if (typeof statement !== 'string') {
      const isPlain = !('submit' in statement) && statement.name && typeof statement.text === 'string';
      return isPlain ? new PreparedQuery(statement, this.#layouts) : undefined;
    }
    const name = Array.isArray(values) ? this.statementNames.of(statement) : undefined;
    if (name === undefined) return undefined;
    return new PreparedQuery({ name, text: statement, values: values as unknown[] }, this.#layouts);
  }

  #promised(query: PreparedQuery): Promise<object | undefined> {
    return new Promise((resolve, reject) => {
      query.callback = (error, result) => {
        if (!error) return resolve(result);
        // Otherwise, the stack would end in the parser of the protocol.
        Error.captureStackTrace(error);
        markDatabaseError(error);
        reject(error);
      };
      super.query(query as never);
    });
  }
}

type Callback = (error: Error | null, result?: unknown) => void;

const marking =
  (callback: Callback): Callback =>
  (error, result) => {
    if (error) markDatabaseError(error);
    callback(error, result);
  };

const withEnd =
  (span: OpenSpan, callback: Callback): Callback =>
  (error, result) => {
    if (error) endFailed(span, error);
    else span.end();
    callback(error, result);
  };

const endFailed = (span: OpenSpan, error: unknown): void =>
  span.end({ failed: true, attributes: errorAttributes(error) });

function rethrowMarked(error: Error): never {
  markDatabaseError(error);
  throw error;
}

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
