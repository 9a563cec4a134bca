import { onTestFinished } from 'vitest';
import type { Fleet } from './fleet.ts';

type Process = ReturnType<Fleet['start']>;

/** A process that is killed with SIGKILL and restarted any number of times. */
export class KillableProcess {
  readonly #start: () => Process;
  #process: Process;
  #testEnded = false;
  kills = 0;
  /** The output of each exit that was not caused by `kill`. */
  readonly unexpectedExits: string[] = [];

  constructor(start: () => Process) {
    this.#start = start;
    this.#process = this.#startProcess();
  }

  kill(): void {
    this.kills++;
    this.#process.child.kill('SIGKILL');
  }

  /** Waits for output of the current process. */
  waitForOutput(pattern: RegExp): Promise<string> {
    return this.#process.waitForOutput(pattern);
  }

  #startProcess(): Process {
    const process = this.#start();
    // Registered again each time: finish hooks run in reverse order.
    onTestFinished(() => {
      this.#testEnded = true;
    });
    process.child.once('exit', (_code, signal) => {
      if (this.#testEnded) return;
      if (signal === 'SIGKILL') this.#process = this.#startProcess();
      else void process.ended.then(({ stderr }) => this.unexpectedExits.push(stderr));
    });
    return process;
  }
}
