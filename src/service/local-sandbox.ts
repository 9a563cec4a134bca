import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { ProcessLock } from '../database/embedded/process-lock.ts';
import type { SandboxAccess } from '../modules/directories/index.ts';
import { trimEndOf } from '../text.ts';
import { SandboxChild } from './sandbox-child.ts';
import { newSandboxKey, readSandboxFile, writeSandboxFile } from './sandbox-file.ts';

const watchMs = 1_000;
const startPatienceMs = 15_000;
const firstPauseMs = 250;
const longestPauseMs = 10_000;

/** The sandbox network as this process reaches it. */
export interface Sandbox {
  access: SandboxAccess;
  stop(): Promise<void>;
}

/** The one that is configured, or one beside this process; none when the sandbox is off. */
export async function openSandbox(config: Config, log: Logger): Promise<Sandbox | undefined> {
  const { sandbox, sandboxUrl, sandboxKey = '' } = config;
  if (!sandbox) return undefined;
  if (sandboxUrl === undefined) return LocalSandbox.start(config, log);
  const url = trimEndOf(sandboxUrl, /\//);
  return { access: { url: () => url, key: sandboxKey }, stop: async () => {} };
}

/** Where a process that runs none itself finds the network: at the configured URL, or beside the data folder's worker. */
export async function knownSandbox(config: Config): Promise<SandboxAccess | undefined> {
  const { sandbox, sandboxUrl, sandboxKey = '', dataDir } = config;
  if (!sandbox) return undefined;
  const known = sandboxUrl === undefined ? await readSandboxFile(dataDir) : { url: sandboxUrl, key: sandboxKey };
  return known && { url: () => trimEndOf(known.url, /\//), key: known.key };
}

/**
 * One network for each data folder, however many processes work with it. The one that holds the lock runs it and
 * starts it again when it dies; the others use it, and one of them takes over when that process is gone.
 */
class LocalSandbox implements Sandbox {
  readonly access: SandboxAccess;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #leaving = new AbortController();
  readonly #left = aborted(this.#leaving.signal);
  #url: string;
  #nextPauseMs = firstPauseMs;
  #running: Promise<void> = Promise.resolve();

  private constructor(config: Config, log: Logger, { url, key }: { url: string; key: string }) {
    this.#config = config;
    this.#log = log;
    this.#url = url;
    this.access = { url: () => this.#url, key };
  }

  static async start(config: Config, log: Logger): Promise<LocalSandbox> {
    const { dataDir } = config;
    const known = (await readSandboxFile(dataDir)) ?? { url: 'http://127.0.0.1:0', key: newSandboxKey() };
    const beside = new LocalSandbox(config, log, known);
    const ready = Promise.withResolvers<void>();
    beside.#running = beside.#run(ready.resolve);
    // A network that takes longer is found later; until then its directories are unavailable, and nothing else.
    const patience = sleep(startPatienceMs, undefined, { signal: beside.#leaving.signal, ref: false }).catch(() => {});
    await Promise.race([ready.promise, patience]);
    return beside;
  }

  async stop(): Promise<void> {
    this.#leaving.abort();
    await this.#running;
  }

  /** Never rejects: a disk that is full, or a folder that cannot be written, is the sandbox's trouble and nobody else's. */
  async #run(ready: () => void): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      try {
        await this.#takePart(ready);
      } catch (error) {
        this.#log.warn({ event: 'sandbox.failed', err: error }, 'The sandbox network cannot be run: trying again');
        ready();
        await this.#growingPause();
      }
    }
  }

  async #takePart(ready: () => void): Promise<void> {
    const { dataDir } = this.#config;
    const lock = ProcessLock.exclusive(join(dataDir, 'sandbox.lock'));
    if (!lock) {
      this.#url = (await readSandboxFile(dataDir))?.url ?? this.#url;
      ready();
      return this.#pause(watchMs);
    }
    try {
      await this.#keepAlive(ready);
    } finally {
      lock.release();
    }
  }

  async #keepAlive(ready: () => void): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await this.#runChild(ready);
      if (signal.aborted) return;
      this.#log.warn({ event: 'sandbox.lost' }, 'The sandbox network has gone away: starting it again');
      await this.#growingPause();
    }
  }

  /** Until it ends, or we do. None is left behind, whatever goes wrong. */
  async #runChild(ready: () => void): Promise<void> {
    const { dataDir, sandboxLife: life } = this.#config;
    const { key } = this.access;
    const child = new SandboxChild({ dataDir, key, life, port: new URL(this.#url).port, log: this.#log });
    try {
      const url = await Promise.race([child.url, this.#left]);
      if (url !== undefined) {
        this.#url = url;
        await writeSandboxFile(dataDir, { url, key });
        this.#log.info({ event: 'sandbox.started', url }, `The sandbox network answers at ${url}`);
        this.#nextPauseMs = firstPauseMs;
      }
      ready();
      await Promise.race([child.ended, this.#left]);
    } finally {
      await child.stop();
    }
  }

  async #growingPause(): Promise<void> {
    const pause = this.#nextPauseMs;
    this.#nextPauseMs = Math.min(pause * 2, longestPauseMs);
    await this.#pause(pause);
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#leaving.signal, ref: false }).catch(() => {});
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
