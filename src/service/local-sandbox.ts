import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { ProcessLock } from '../database/embedded/process-lock.ts';
import type { SandboxAccess } from '../modules/directories/index.ts';
import { trimEndOf } from '../text.ts';

const watchMs = 1_000;
const startTimeoutMs = 15_000;
const firstPauseMs = 250;
const maxPauseMs = 10_000;
/** Refuses connections. */
const notStarted = 'http://127.0.0.1:0';

/** The sandbox network of this process. */
interface Sandbox {
  access: SandboxAccess;
  stop(): Promise<void>;
}

/** The configured sandbox, or a local one; undefined if the sandbox is disabled. */
export async function openSandbox(config: Config, log: Logger): Promise<Sandbox | undefined> {
  if (!config.sandbox) return undefined;
  const access = configuredSandbox(config);
  return access ? { access, stop: async () => {} } : LocalSandbox.start(config, log);
}

/** Undefined without WAYPOST_SANDBOX_URL. */
function configuredSandbox({ sandboxUrl, sandboxKey = '' }: Config): SandboxAccess | undefined {
  if (sandboxUrl === undefined) return undefined;
  const url = trimEndOf(sandboxUrl, /\//);
  return { url: () => url, key: sandboxKey };
}

/** The sandbox for a process that does not run one: the configured URL, or the one of the worker in the data folder. */
export function knownSandbox(config: Config): SandboxAccess | undefined {
  if (!config.sandbox) return undefined;
  const configured = configuredSandbox(config);
  if (configured) return configured;
  // For each request: the worker may start later, or on another port.
  const current = () => readSandboxFile(config.dataDir) ?? { url: notStarted, key: '' };
  return {
    url: () => current().url,
    isKnown: () => current().url !== notStarted,
    get key() {
      return current().key;
    },
  };
}

/**
 * One network per data folder, shared by all processes. The process that holds the lock runs and restarts it; another one
 * takes over when that process exits.
 */
class LocalSandbox implements Sandbox {
  readonly access: SandboxAccess;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #stopped = once(this.#stopping.signal, 'abort').then(() => undefined);
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
    const known = readSandboxFile(dataDir) ?? { url: notStarted, key: randomBytes(24).toString('base64url') };
    const sandbox = new LocalSandbox(config, log, known);
    const ready = Promise.withResolvers<void>();
    sandbox.#running = sandbox.#run(ready.resolve);
    // A slower start only means that the directories are unavailable for now.
    const timeout = sleep(startTimeoutMs, undefined, { signal: sandbox.#stopping.signal, ref: false }).catch(() => {});
    await Promise.race([ready.promise, timeout]);
    return sandbox;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Never rejects: errors such as a full disk must not affect the service. */
  async #run(ready: () => void): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#runOrWatch(ready);
      } catch (error) {
        this.#log.warn({ event: 'sandbox.failed', err: error }, 'The sandbox network could not be started. Retrying');
        ready();
        await this.#backOff();
      }
    }
  }

  async #runOrWatch(ready: () => void): Promise<void> {
    const { dataDir } = this.#config;
    const lock = ProcessLock.exclusive(join(dataDir, 'sandbox.lock'));
    const known = readSandboxFile(dataDir);
    if (known) {
      this.#url = known.url;
      this.access.key = known.key;
    }
    if (!lock) {
      // Without the file, the other process is starting the network for the first time.
      if (known) ready();
      return this.#pause(watchMs);
    }
    try {
      await this.#keepAlive(ready);
    } finally {
      lock.release();
    }
  }

  async #keepAlive(ready: () => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#runChild(ready);
      if (signal.aborted) return;
      this.#log.warn({ event: 'sandbox.lost' }, 'The sandbox network stopped unexpectedly. Restarting it');
      await this.#backOff();
    }
  }

  /** Runs the child process until it exits or this process stops. */
  async #runChild(ready: () => void): Promise<void> {
    const { dataDir } = this.#config;
    const { key } = this.access;
    // On the previous port, so that other processes find the sandbox again.
    const child = new SandboxChild(this.#config, { key, port: new URL(this.#url).port }, this.#log);
    try {
      const url = await Promise.race([child.url, this.#stopped]);
      if (url !== undefined) {
        this.#url = url;
        await writeSandboxFile(dataDir, { url, key });
        this.#log.info({ event: 'sandbox.started', url }, `The sandbox network is running at ${url}`);
        this.#nextPauseMs = firstPauseMs;
      }
      ready();
      await Promise.race([child.ended, this.#stopped]);
    } finally {
      await child.stop();
    }
  }

  async #backOff(): Promise<void> {
    const pause = this.#nextPauseMs;
    this.#nextPauseMs = Math.min(pause * 2, maxPauseMs);
    await this.#pause(pause);
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {});
  }
}

const program = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));
const stopTimeoutMs = 5_000;

/** The sandbox network as a child process. It exits when its stdin closes, so it never outlives this process. */
class SandboxChild {
  readonly #process: ChildProcess;
  /** Undefined if the process exited before it listened. */
  readonly url: Promise<string | undefined>;
  readonly ended: Promise<unknown>;

  constructor({ dataDir, sandboxLife }: Config, { key, port }: { key: string; port: string }, log: Logger) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    this.#process = spawn(process.execPath, [program, join(dataDir, 'sandbox.sqlite')], {
      env: {
        PATH,
        ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
        SANDBOX_KEY: key,
        SANDBOX_LIFE: sandboxLife ? 'on' : 'off',
        SANDBOX_PORT: port,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdin, stdout, stderr } = this.#process;
    stdin?.on('error', () => {});
    if (stderr) createInterface(stderr).on('line', (line) => log.warn({ event: 'sandbox.output' }, line));
    this.ended = once(this.#process, 'exit').catch((error) => log.warn({ event: 'sandbox.not-started', err: error }));
    const firstLine = stdout ? once(createInterface(stdout), 'line') : Promise.resolve([]);
    this.url = Promise.race([firstLine, this.ended.then(() => [])]).then(([line]) => line && JSON.parse(line).url);
  }

  /** Closes stdin, and kills the process after a timeout. */
  async stop(): Promise<void> {
    this.#process.stdin?.end();
    const timeout = setTimeout(() => this.#process.kill('SIGKILL'), stopTimeoutMs);
    await this.ended;
    clearTimeout(timeout);
  }
}

/** The content of sandbox.json: the URL and the key of the local sandbox. */
interface SandboxFile {
  url: string;
  key: string;
}

const pathIn = (dataDir: string) => join(dataDir, 'sandbox.json');

export function readSandboxFile(dataDir: string): SandboxFile | undefined {
  try {
    const { url, key } = JSON.parse(readFileSync(pathIn(dataDir), 'utf8'));
    return typeof url === 'string' && typeof key === 'string' ? { url, key } : undefined;
  } catch {
    return undefined;
  }
}

async function writeSandboxFile(dataDir: string, file: SandboxFile): Promise<void> {
  const draft = `${pathIn(dataDir)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, pathIn(dataDir));
}
