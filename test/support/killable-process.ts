import { onTestFinished } from 'vitest';
import type { Fleet } from './fleet.ts';

type Process = ReturnType<Fleet['start']>;

/** A process that is killed with SIGKILL and restarted any number of times. */
export class KillableProcess {
  readonly #start: () => Process;
  #process: Process;
  #atRest = false;
  deaths = 0;
  /** The output of each exit that was not caused by `kill`. */
  readonly fell: string[] = [];

  constructor(start: () => Process) {
    this.#start = start;
    this.#process = this.#live();
  }

  kill(): void {
    this.deaths++;
    this.#process.child.kill('SIGKILL');
  }

  /** Waits for output of the current process. */
  says(pattern: RegExp): Promise<string> {
    return this.#process.says(pattern);
  }

  #live(): Process {
    const process = this.#start();
    // Registered again each time: finish hooks run in reverse order.
    onTestFinished(() => {
      this.#atRest = true;
    });
    process.child.once('exit', (_code, signal) => {
      if (this.#atRest) return;
      if (signal === 'SIGKILL') this.#process = this.#live();
      else void process.ended.then(({ stderr }) => this.fell.push(stderr));
    });
    return process;
  }
}
