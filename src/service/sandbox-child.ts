import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';

const program = fileURLToPath(new URL('../../sandbox/main.ts', import.meta.url));
const stopPatienceMs = 5_000;

export interface SandboxChildOptions {
  dataDir: string;
  key: string;
  life: boolean;
  /** Where it was the last time, so that others who know it there find it again. */
  port: string;
  log: Logger;
}

/** The sandbox network in a process of its own, whose end is the end of ours: it lives as long as its input is open. */
export class SandboxChild {
  readonly #process: ChildProcess;
  /** Its address; undefined when it ended before it had one. */
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
    const spoken = stdout ? once(createInterface(stdout), 'line') : Promise.resolve([]);
    this.url = Promise.race([spoken, this.ended.then(() => [])]).then(([line]) => line && JSON.parse(line).url);
  }

  /** It writes down what it has and goes; one that does not is made to. */
  async stop(): Promise<void> {
    this.#process.stdin?.end();
    const impatience = setTimeout(() => this.#process.kill('SIGKILL'), stopPatienceMs);
    await this.ended;
    clearTimeout(impatience);
  }
}
