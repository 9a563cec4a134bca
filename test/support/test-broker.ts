import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Certificate } from './certificates.ts';

export interface BrokerMessage {
  body: string;
  headers: Record<string, string>;
}

export const username = 'waypost-user';
export const password = 'p@ss/word';
export const login = `${username}:${encodeURIComponent(password)}`;
/** Texts that must not appear in logs, responses and tables. */
export const brokerSecrets = [username, password, encodeURIComponent(password)];

export interface BrokerCommand {
  program: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
}

export const startMs = 120_000;

/** A real broker on loopback with its own data folder. Messages are read with the client of its makers. */
export abstract class TestBroker {
  readonly name: string;
  readonly port: number;
  protected readonly folder: string = mkdtempSync(join(tmpdir(), 'waypost-broker-'));
  #process: ChildProcess | undefined;

  constructor(name: string, port: number) {
    this.name = name;
    this.port = port;
  }

  /** Push URL of a queue. */
  abstract url(queue: string, credentials?: string, port?: number): string;
  /** The same with TLS, if the broker was created with an authority. */
  abstract secureUrl(queue: string): string;
  /** Push URL that leads to no queue. */
  abstract unroutableUrl(): string;
  /** Creates a queue that exists after a restart. */
  abstract create(queue: string): Promise<void>;
  /** All messages of a queue. */
  abstract read(queue: string): Promise<BrokerMessage[]>;
  protected abstract command(): BrokerCommand;
  protected abstract isReady(): Promise<unknown>;

  /** Whether the broker accepts only one user. */
  get checksCredentials(): boolean {
    return true;
  }

  /** Whether messages survive a restart. */
  get isDurable(): boolean {
    return true;
  }

  get login(): string {
    return login;
  }

  async start(): Promise<void> {
    const broker = this.#spawn();
    this.#process = broker;
    const until = Date.now() + startMs;
    while (
      !(await this.isReady()
        .then(() => true)
        .catch(() => false))
    ) {
      if (Date.now() > until || broker.exitCode !== null) {
        throw new Error(`${this.name} did not start:\n${readFileSync(this.#output, 'utf8').slice(-2000)}`);
      }
      await wait(100);
    }
  }

  get #output(): string {
    return join(this.folder, 'output');
  }

  #spawn(): ChildProcess {
    const { program, args = [], env } = this.command();
    const output = openSync(this.#output, 'a');
    try {
      return spawn(program, args, {
        cwd: this.folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', output, output],
      });
    } finally {
      closeSync(output);
    }
  }

  async kill(): Promise<void> {
    if (!this.#process || this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  protected writeCertificate({ cert, key }: Certificate): { cert: string; key: string } {
    const files = { cert: join(this.folder, 'cert.pem'), key: join(this.folder, 'key.pem') };
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    return files;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
