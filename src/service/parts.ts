import type { Logger } from 'pino';
import { withinLimit } from './within-limit.ts';

/** Shutdown order: parts that accept work, then their dependencies, then the database and tracing. */
const order = ['work', 'tools', 'base'] as const;

interface Part {
  name: string;
  stage: (typeof order)[number];
  limitMs: number;
  stop: () => Promise<unknown>;
}

/** The parts of a running process. The parts of a stage are stopped concurrently, each with its own timeout. */
export class Parts {
  readonly #log: Logger;
  #parts: Part[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  add(part: Part): void {
    this.#parts.push(part);
  }

  /** Returns whether all parts stopped in time. */
  async stop(): Promise<boolean> {
    const parts = this.#parts;
    this.#parts = [];
    let isComplete = true;
    for (const stage of order) {
      const stopped = await Promise.all(
        parts
          .filter((part) => part.stage === stage)
          .map(({ name, limitMs, stop }) => withinLimit({ part: name, limitMs, log: this.#log }, stop)),
      );
      isComplete &&= stopped.every(Boolean);
    }
    return isComplete;
  }
}
