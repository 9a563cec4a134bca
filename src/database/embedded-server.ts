import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Access,
  createCluster,
  findPostmaster,
  isRunning,
  removeOldLogs,
  serviceUrl,
  stopPostmaster,
  superuserUrl,
} from './embedded/cluster.ts';
import { type Placement, placeServer, usersFile } from './embedded/placement.ts';
import { ProcessLock } from './embedded/process-lock.ts';
import { arrangeAccess, ensureRunning, type RunOptions } from './embedded/running-server.ts';

const lockRetryMs = 50;
const watchMs = 500;
const cleanupMs = 3_600_000;
const maxPauseMs = 30_000;

interface Options extends RunOptions {
  dataDir: string;
}

/**
 * A PostgreSQL server in the data folder, shared by all processes that use the folder. It is detached, so that it
 * survives a killed process; every process restarts it if it crashes.
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

/** Only one process at a time starts, restarts or stops the server. */
async function withStartLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquireStartLock(dataDir);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function acquireStartLock(dataDir: string): Promise<ProcessLock> {
  for (;;) {
    const lock = ProcessLock.exclusive(join(dataDir, 'postgres-door.lock'));
    if (lock) return lock;
    await sleep(lockRetryMs);
  }
}

class EmbeddedServer {
  readonly url: string;
  /** For creating roles and databases; the service does not use it. */
  readonly superuserUrl: string;
  /** Whether no other process used the server when this one started. */
  readonly owned: boolean;
  readonly #options: Options;
  readonly #placement: Placement;
  readonly #access: Access;
  readonly #users: string;
  readonly #presence: ProcessLock | undefined;
  readonly #detaching = new AbortController();
  readonly #watch: Promise<void>;
  #pid: number;
  #stopped: Promise<void> | undefined;

  /** Requires the start lock: only its holder may lock the users file exclusively. */
  constructor(options: Options, placement: Placement, access: Access, pid: number) {
    this.#options = options;
    this.#placement = placement;
    this.#access = access;
    this.#pid = pid;
    this.url = serviceUrl(access);
    this.superuserUrl = superuserUrl(access, 'postgres');
    this.#users = join(options.dataDir, usersFile);
    const alone = ProcessLock.exclusive(this.#users);
    alone?.release();
    this.owned = alone !== undefined;
    this.#presence = ProcessLock.shared(this.#users);
    this.#watch = this.#keepAlive();
  }

  /** The last process that calls this shuts the server down. */
  stop(): Promise<void> {
    this.#stopped ??= this.#detach();
    return this.#stopped;
  }

  async #detach(): Promise<void> {
    this.#detaching.abort();
    await this.#watch;
    const lock = await acquireStartLock(this.#options.dataDir).catch((error) => this.#withoutLock(error));
    try {
      this.#presence?.release();
      if (this.#isUsedByOthers()) return;
      // Another process may have restarted the server.
      const { pid } = (await findPostmaster(this.#placement)) ?? { pid: this.#pid };
      await stopPostmaster(pid, this.#placement.cluster);
    } finally {
      lock?.release();
    }
  }

  /** Requires the start lock, so that no process joins after the check. */
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

  /** Without the lock the server is stopped anyway: other processes can restart it, but an orphan would run forever. */
  #withoutLock(error: unknown): undefined {
    this.#options.log.warn(
      { event: 'database.lock-failed', err: error },
      'Stopping the database server without a lock',
    );
  }

  async #keepAlive(): Promise<void> {
    let pause = watchMs;
    let cleanupAt = Date.now() + cleanupMs;
    for (;;) {
      await sleep(pause, undefined, { signal: this.#detaching.signal, ref: false }).catch(() => {});
      if (this.#detaching.signal.aborted) return;
      pause = (await this.#restartIfNeeded()) ? watchMs : Math.min(pause * 2, maxPauseMs);
      if (Date.now() < cleanupAt) continue;
      await removeOldLogs(this.#placement.home);
      cleanupAt += cleanupMs;
    }
  }

  async #restartIfNeeded(): Promise<boolean> {
    const { dataDir, log } = this.#options;
    try {
      if (await isRunning({ pid: this.#pid, port: this.#access.port }, this.#placement)) return true;
      log.warn({ event: 'database.lost', pid: this.#pid }, 'The database server stopped unexpectedly. Restarting it');
      this.#pid = await withStartLock(dataDir, () => ensureRunning(this.#placement, this.#access, this.#options));
      log.warn({ event: 'database.restarted', pid: this.#pid }, 'The database server was restarted');
      return true;
    } catch (error) {
      log.warn({ event: 'database.restart-failed', err: error }, 'The database server could not be restarted');
      return false;
    }
  }
}
