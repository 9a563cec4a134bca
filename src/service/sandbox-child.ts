import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';

const program = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));
const stopTimeoutMs = 5_000;

export interface SandboxChildOptions {
  dataDir: string;
  key: string;
  life: boolean;
  /** The previous port, so that other processes find the sandbox again. */
  port: string;
  log: Logger;
}

/** The sandbox network as a child process. It exits when its stdin closes, so it never outlives this process. */
export class SandboxChild {
  readonly #process: ChildProcess;
  /** Undefined if the process exited before it listened. */
  readonly url: Promise<string | undefined>;
  readonly ended: Promise<unknown>;

  constructor({ dataDir, key, life, port, log }: SandboxChildOptions) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    this.#process = spawn(process.execPath, [program, join(dataDir, 'sandbox.sqlite')], {
      env: {
        PATH,
        ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
        SANDBOX_KEY: key,
        SANDBOX_LIFE: life ? 'on' : 'off',
        SANDBOX_PORT: port,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdin, stdout, stderr } = this.#process;
    stdin?.on('error', () => {});
    if (stderr) createInterface(stderr).on('line', (line) => log.warn({ event: 'sandbox.said' }, line));
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
