import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Access, createCluster, serviceUrl, superuserUrl } from './embedded/cluster.ts';
import { type Placement, placeServer } from './embedded/placement.ts';
import { isPostmaster, stopPostmaster } from './embedded/postmaster.ts';
import { ProcessLock } from './embedded/process-lock.ts';
import { arrangeAccess, ensureRunning, type RunOptions } from './embedded/running-server.ts';
import { removeOldLogs } from './embedded/server-log.ts';

const doorMs = 50;
const watchMs = 500;
const tidyMs = 3_600_000;
const longestPauseMs = 30_000;

interface Options extends RunOptions {
  dataDir: string;
}

/**
 * A PostgreSQL server under the data folder, shared by every process that uses the folder. It runs on its own, so
 * that a killed process leaves it unharmed for the next; every process that uses it starts it again when it dies.
 */
export async function startEmbeddedServer(options: Options): Promise<EmbeddedServer> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  return withStartLock(dataDir, async () => {
    const placement = await placeServer(dataDir, options.log);
    if (await createCluster(placement)) {
      options.log.info({ event: 'database.created', folder: placement.cluster }, 'Database created');
    }
    const access = await arrangeAccess(placement);
    const pid = await ensureRunning(placement, access, options);
    return new EmbeddedServer({ ...options, dataDir }, placement, access, pid);
  });
}

/** Starting, restarting and stopping are done by one process at a time. */
async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const door = await acquireStartLock(dataDir);
  try {
    return await work();
  } finally {
    door.release();
  }
}

async function acquireStartLock(dataDir: string): Promise<ProcessLock> {
  for (;;) {
    const door = ProcessLock.exclusive(join(dataDir, 'postgres-door.lock'));
    if (door) return door;
    await sleep(doorMs);
  }
}

class EmbeddedServer {
  readonly url: string;
  /** For those who create roles and databases; the service does not. */
  readonly superuserUrl: string;
  /** No other process was using the server when this one came. */
  readonly owned: boolean;
  readonly #options: Options;
  readonly #placement: Placement;
  readonly #access: Access;
  readonly #users: string;
  readonly #presence: ProcessLock | undefined;
  readonly #leaving = new AbortController();
  readonly #watch: Promise<void>;
  #pid: number;
  #stopped: Promise<void> | undefined;

  /** To be called behind the door, where nobody else holds the list of users alone. */
  constructor(options: Options, placement: Placement, access: Access, pid: number) {
    this.#options = options;
    this.#placement = placement;
    this.#access = access;
    this.#pid = pid;
    this.url = serviceUrl(access);
    this.superuserUrl = superuserUrl(access, 'postgres');
    this.#users = join(options.dataDir, 'postgres-users.lock');
    const alone = ProcessLock.exclusive(this.#users);
    alone?.release();
    this.owned = alone !== undefined;
    this.#presence = ProcessLock.shared(this.#users);
    this.#watch = this.#keepAlive();
  }

  /** Leaves the server; the last process to leave shuts it down. */
  stop(): Promise<void> {
    this.#stopped ??= this.#leave();
    return this.#stopped;
  }

  async #leave(): Promise<void> {
    this.#leaving.abort();
    await this.#watch;
    const door = await acquireStartLock(this.#options.dataDir).catch((error) => this.#withoutLock(error));
    try {
      this.#presence?.release();
      if (this.#isUsedByOthers()) return;
      await stopPostmaster(this.#pid, this.#placement.cluster);
    } finally {
      door?.release();
    }
  }

  /** Asked behind the door, so that nobody comes in the moment after. */
  #isUsedByOthers(): boolean {
    try {
      const alone = ProcessLock.exclusive(this.#users);
      alone?.release();
      return alone === undefined;
    } catch (error) {
      this.#withoutLock(error);
      return false;
    }
  }

  /** A server that runs on with nobody to stop it is worse than one that others have to start again. */
  #withoutLock(error: unknown): undefined {
    this.#options.log.warn({ event: 'database.lock-failed', err: error }, 'Leaving the database server without a lock');
  }

  async #keepAlive(): Promise<void> {
    let pause = watchMs;
    let tidyAt = Date.now() + tidyMs;
    for (;;) {
      await sleep(pause, undefined, { signal: this.#leaving.signal, ref: false }).catch(() => {});
      if (this.#leaving.signal.aborted) return;
      pause = (await this.#revive()) ? watchMs : Math.min(pause * 2, longestPauseMs);
      if (Date.now() < tidyAt) continue;
      await removeOldLogs(this.#placement.home);
      tidyAt += tidyMs;
    }
  }

  async #revive(): Promise<boolean> {
    const { dataDir, log } = this.#options;
    try {
      if (await isPostmaster(this.#pid, this.#placement.cluster)) return true;
      log.warn({ event: 'database.lost', pid: this.#pid }, 'The database server has gone away: starting it again');
      this.#pid = await withStartLock(dataDir, () => ensureRunning(this.#placement, this.#access, this.#options));
      log.warn({ event: 'database.restarted', pid: this.#pid }, 'The database server is back');
      return true;
    } catch (error) {
      log.warn({ event: 'database.restart-failed', err: error }, 'The database server could not be started again');
      return false;
    }
  }
}
