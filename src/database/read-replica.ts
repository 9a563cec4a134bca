import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { openPool, statementLimits } from './client.ts';
import type { Sql } from './connection.ts';
import { isDatabaseUnavailable, reasonOf } from './faults.ts';
import { defineStatement, run } from './statement.ts';

/** Bytes of the WAL that a server has written, or replayed if it is a standby. */
export type WalPosition = number;

interface ServerState {
  isStandby: boolean;
  position: WalPosition;
  /** The cluster and the database: a replica has those of its primary. */
  identity: string;
  /** The start of the server, which differs between replicas. */
  startedAt: string;
}

// With flushed WAL, not inserted: an idle server can have inserted a page header that no standby replays.
const stateStatement = defineStatement<ServerState>({
  name: 'read-wal-position',
  text: `
    select pg_is_in_recovery() as is_standby,
      pg_wal_lsn_diff(
        case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end, '0/0'
      )::float8 as position,
      (select system_identifier::text from pg_control_system())
        || '/' || (select oid::text from pg_database where datname = current_database()) as identity,
      pg_postmaster_start_time()::text as started_at
  `,
  columns: { isStandby: 'bool', position: 'float8', identity: 'text', startedAt: 'text' },
});

/** The position of the primary: later reads of a replica that has replayed it see every commit until now. */
export async function currentPosition(primary: Sql): Promise<WalPosition> {
  const [state] = await run(primary, stateStatement);
  return state?.position ?? 0;
}

/** The lag is undefined until the replica has replayed a position that this process knows. */
export type ReplicaStatus =
  | { state: 'used'; lagSeconds: number }
  | { state: 'lagging'; lagSeconds: number | undefined }
  | { state: 'unavailable'; lagSeconds: number | undefined; reason: string };

interface ReplicaOptions {
  url: string;
  primaryUrl: string;
  maxLagMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

interface ReadLimits {
  limit: keyof typeof statementLimits;
  connections: number;
}

/** The server cancelled the statement in order to replay a change, for example a dropped table. */
const isReplayConflict = (error: unknown): boolean => (error as { code?: string }).code === '40001';

/** The statement reached its time limit or writes. The replica still serves the reads of other requests. */
const isOfStatement = (error: unknown): boolean => ['57014', '25006'].includes((error as { code?: string }).code ?? '');

const checkMs = 1000;
/** A server that does not respond within this time is not used. */
const responseMs = 2000;
/** Positions that the replica has not replayed yet: ten minutes. */
const maxPositions = 600;

/**
 * A streaming replica for reads that may lag. Its lag is an upper bound by the clock of this process: the age of the
 * newest position of the primary that it has replayed. It also grows when the replica lost its connection to the primary.
 */
export class ReadReplica {
  readonly #options: ReplicaOptions;
  readonly #checks: { primary: pg.Pool; replica: pg.Pool };
  readonly #pools = new Map<string, pg.Pool>();
  /** Without a limit of listeners: each waiting job is one. */
  readonly #checked = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  #watching: Promise<void> | undefined;
  /** Aborted when the replica becomes unavailable: reads in progress continue on the primary. */
  #available = new AbortController();
  #fault: string | undefined = 'not checked yet';
  /** Not replayed yet, oldest first. */
  #positions: { at: number; position: WalPosition }[] = [];
  #primaryIdentity: string | undefined;
  #replayed: WalPosition = 0;
  #checkedServer: string | undefined;
  #currentAsOf: number | undefined;
  #logged: ReplicaStatus['state'] | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const open = (url: string) =>
      openPool(url, { connections: 1, name: 'waypost replica check', statementLimit: 'delivery', responseMs });
    this.#checks = { primary: open(options.primaryUrl), replica: open(options.url) };
    this.#available.abort();
  }

  /** Checks the replica until it is closed. Resolves after the first check. */
  async start(): Promise<void> {
    await this.check();
    this.#watching = this.#watch();
  }

  get status(): ReplicaStatus {
    const lagMs = this.#currentAsOf === undefined ? undefined : performance.now() - this.#currentAsOf;
    const lagSeconds = lagMs === undefined ? undefined : Math.round(lagMs) / 1000;
    if (this.#fault !== undefined) return { state: 'unavailable', lagSeconds, reason: this.#fault };
    if (lagMs === undefined || lagSeconds === undefined || lagMs > this.#options.maxLagMs)
      return { state: 'lagging', lagSeconds };
    return { state: 'used', lagSeconds };
  }

  /** Whether a read can use the replica and sees every commit until the position. */
  canRead(after: WalPosition): boolean {
    return this.status.state === 'used' && this.#replayed >= after;
  }

  /** Waits for the position, at most as long as the replica may lag. Returns whether a read can use the replica. */
  async waitFor(after: WalPosition): Promise<boolean> {
    const deadline = performance.now() + this.#options.maxLagMs;
    while (!this.canRead(after)) {
      if (this.status.state !== 'used' || performance.now() > deadline || this.#closing.signal.aborted) return false;
      await once(this.#checked, 'checked');
    }
    return true;
  }

  /** Connections for statements with a time limit. */
  pool({ limit, connections }: ReadLimits): pg.Pool {
    const known = this.#pools.get(limit);
    if (known) return known;
    const options = { connections, name: 'waypost replica', statementLimit: limit };
    const pool = openPool(this.#options.url, options, (client) => this.#requireCheckedServer(client));
    this.#pools.set(limit, pool);
    return pool;
  }

  /** Runs a statement on the replica. Rejects as soon as the replica is unavailable. */
  async query(pool: pg.Pool, given: Parameters<Sql['query']>): Promise<unknown> {
    const { signal } = this.#available;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const lost = () => reject(signal.reason);
    signal.addEventListener('abort', lost);
    (pool.query(...given) as unknown as Promise<unknown>).then(resolve, reject);
    try {
      return await promise;
    } catch (error) {
      if (isDatabaseUnavailable(error) && !isOfStatement(error)) this.#lose(reasonOf(error));
      throw error;
    } finally {
      signal.removeEventListener('abort', lost);
    }
  }

  /** A load balancer can lead to another replica, whose lag is not known. Its connections are not used. */
  async #requireCheckedServer(client: Sql): Promise<void> {
    const [found] = await run(client, stateStatement);
    if (found?.startedAt !== this.#checkedServer) throw new Error('DATABASE_READ_URL leads to several servers.');
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watching;
    this.#checked.emit('checked');
    const pools = [this.#checks.primary, this.#checks.replica, ...this.#pools.values()];
    await Promise.all(pools.map((pool) => pool.end()));
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await pause(checkMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      await this.check();
    }
  }

  async check(): Promise<void> {
    // Without new positions, the lag grows.
    await this.#checkPrimary().catch(() => {});
    try {
      const [found] = await run(this.#checks.replica, stateStatement);
      const fault = found && this.#faultOf(found);
      if (fault !== undefined) this.#lose(fault);
      else if (found) this.#update(found);
    } catch (error) {
      if (!isReplayConflict(error)) this.#lose(reasonOf(error));
    }
    this.#logChange();
    this.#checked.emit('checked');
  }

  async #checkPrimary(): Promise<void> {
    // Before the statement: every commit until now is within the position.
    const at = performance.now();
    const [found] = await run(this.#checks.primary, stateStatement);
    if (!found || found.isStandby) return;
    this.#primaryIdentity = found.identity;
    if (this.#positions.at(-1)?.position === found.position) this.#positions.pop();
    this.#positions.push({ at, position: found.position });
    if (this.#positions.length > maxPositions) this.#positions.shift();
  }

  #faultOf({ isStandby, identity }: ServerState): string | undefined {
    if (!isStandby) return 'the server is not a standby';
    if (this.#primaryIdentity === undefined || identity === this.#primaryIdentity) return undefined;
    return 'the server is a standby of another database than DATABASE_URL';
  }

  #update({ position: replayed, startedAt }: ServerState): void {
    this.#replayed = replayed;
    this.#checkedServer = startedAt;
    const waiting = this.#positions.findIndex(({ position }) => position > replayed);
    const done = this.#positions.slice(0, waiting === -1 ? undefined : waiting);
    this.#currentAsOf = done.at(-1)?.at ?? this.#currentAsOf;
    // The newest one stays: its time is updated while the primary is idle.
    this.#positions = this.#positions.slice(Math.max(0, done.length - 1));
    this.#fault = undefined;
    if (this.#available.signal.aborted) this.#available = new AbortController();
  }

  #lose(reason: string): void {
    this.#fault = reason;
    this.#available.abort(new Error(`The replica is unavailable: ${reason}`));
  }

  #logChange(): void {
    const { status } = this;
    if (status.state === this.#logged) return;
    this.#logged = status.state;
    const { log, maxLagMs } = this.#options;
    if (status.state === 'used') {
      log.info({ event: 'replica.used', ...status }, 'The read replica is used');
      return;
    }
    const reason = 'reason' in status ? status.reason : `it lags by more than ${maxLagMs / 1000} s`;
    log.warn({ event: 'replica.not-used', ...status }, `The read replica is not used: ${reason}`);
  }
}

/** The reads of one request or job. They start on the replica and stay on the primary after a failure. */
export class ReplicaReads implements Sql {
  readonly #replica: ReadReplica;
  readonly pool: pg.Pool;
  readonly #primary: Sql;
  readonly #limitMs: number;
  #isOnReplica = true;

  constructor(replica: ReadReplica, primary: Sql, options: ReadLimits) {
    this.#replica = replica;
    this.pool = replica.pool(options);
    this.#primary = primary;
    this.#limitMs = statementLimits[options.limit];
  }

  /** The upper bound of the lag, or undefined if a statement used the primary. */
  get lagSeconds(): number | undefined {
    return this.#isOnReplica ? this.#replica.status.lagSeconds : undefined;
  }

  readonly query = (async (...given: Parameters<Sql['query']>) => {
    const startedAt = performance.now();
    if (this.#isOnReplica) {
      try {
        return await this.#replica.query(this.pool, given);
      } catch (error) {
        // A slow statement must not be repeated: the caller has waited long enough.
        if (performance.now() - startedAt >= this.#limitMs) throw error;
        this.#isOnReplica = false;
      }
    }
    return this.#primary.query(...given);
  }) as unknown as Sql['query'];
}
