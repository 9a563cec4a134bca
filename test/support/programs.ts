import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A step did not succeed within its time limit, or a program ended. */
class StepError extends Error {}

/** Waits until the condition holds. Errors of the condition count as "not yet". */
export async function until(
  step: string,
  condition: () => boolean | Promise<boolean>,
  { limitMs = 120_000, everyMs = 200, signal }: { limitMs?: number; everyMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const limit = performance.now() + limitMs;
  let reason = '';
  for (;;) {
    signal?.throwIfAborted();
    const holds = await Promise.resolve()
      .then(condition)
      .catch((error: Error) => {
        reason = ` (${error.message})`;
        return false;
      });
    if (holds) return;
    if (performance.now() > limit) throw new StepError(`${step}: not within ${limitMs / 1000} s${reason}`);
    await pause(everyMs);
  }
}

interface Program {
  name: string;
  child: ChildProcess;
  /** Whether its end is expected. */
  stopped: boolean;
}

/** The programs of the run, with one log file each. */
export class Programs {
  readonly #folder: string;
  readonly #running = new Map<string, Program>();
  readonly #failure = Promise.withResolvers<never>();
  /** Rejected when a program ends by itself. */
  readonly failure: Promise<never> = this.#failure.promise;

  constructor(folder: string) {
    this.#folder = folder;
    this.failure.catch(() => {});
  }

  start(name: string, [command = '', ...args]: string[], env: NodeJS.ProcessEnv): Program {
    const file = openSync(join(this.#folder, `${name}.log`), 'a');
    // In a process group of its own: Ctrl-C in a terminal reaches this process only, which stops the others.
    const child = spawn(command, args, { env, cwd: '/', stdio: ['ignore', file, file], detached: true });
    closeSync(file);
    const program: Program = { name, child, stopped: false };
    child.once('error', (error) => this.#ended(program, error.message));
    child.once('exit', (code, signal) => this.#ended(program, `${code ?? signal}`));
    this.#running.set(name, program);
    return program;
  }

  get(name: string): Program {
    const program = this.#running.get(name);
    if (!program) throw new StepError(`${name} is not running`);
    return program;
  }

  /** Kills the program and waits for its end. */
  async kill(name: string): Promise<void> {
    const { child } = this.stop(name, 'SIGKILL');
    await until(`${name} ends`, () => child.exitCode !== null || child.signalCode !== null);
  }

  stop(name: string, signal: NodeJS.Signals): Program {
    const program = this.get(name);
    program.stopped = true;
    program.child.kill(signal);
    return program;
  }

  /** Kills all programs, and the processes that they started with a path of the folder. */
  killAll(): void {
    for (const { name } of [...this.#running.values()]) this.stop(name, 'SIGKILL');
    for (let left = this.#processes(); left.length > 0; left = this.#processes()) {
      signalAll(left.flatMap(descendants), 'SIGKILL');
    }
  }

  /** Processes with a path of the folder in their arguments, such as PostgreSQL. */
  #processes(): number[] {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
    return rows
      .filter((row) => row.includes(this.#folder))
      .map((row) => row.trim().split(/\s+/))
      .filter(([, state]) => !state?.startsWith('Z'))
      .map(([pid]) => Number(pid));
  }

  /** The last lines of each log, also of programs that have ended. */
  logEnds(lines: number): string {
    const logs = readdirSync(this.#folder).filter((name) => name.endsWith('.log'));
    return logs.map((name) => `--- ${name}\n${lastLines(join(this.#folder, name), lines)}`).join('\n');
  }

  #ended(program: Program, how: string): void {
    if (this.#running.get(program.name) === program) this.#running.delete(program.name);
    if (!program.stopped) this.#failure.reject(new StepError(`${program.name} ended unexpectedly: ${how}`));
  }
}

const lastLines = (path: string, count: number) =>
  readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');

/** The process and its descendants. */
export function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.filter(([, of]) => of === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return [pid, ...below(pid)];
}

/** Sends the signal to all processes that still exist. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
