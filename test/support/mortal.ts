import { onTestFinished } from 'vitest';
import type { Fleet } from './fleet.ts';

type Process = ReturnType<Fleet['start']>;

/** A process that is killed with -9 and started again, any number of times. */
export class Mortal {
  readonly #start: () => Process;
  #process: Process;
  #atRest = false;
  deaths = 0;
  /** What it said on the way out whenever it ended without being killed. */
  readonly fell: string[] = [];

  constructor(start: () => Process) {
    this.#start = start;
    this.#process = this.#live();
  }

  kill(): void {
    this.deaths++;
    this.#process.child.kill('SIGKILL');
  }

  /** Waits until the process that lives now has said something that fits. */
  says(pattern: RegExp): Promise<string> {
    return this.#process.says(pattern);
  }

  #live(): Process {
    const process = this.#start();
    // Each time anew: what is asked for last is done first, and the end of the test ends the process as well.
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
