import { setTimeout as pause } from 'node:timers/promises';

/** Fetching takes a third of a millisecond per 1,000 waiting jobs that it skips. */
const skippingEveryMs = 200;

/**
 * Shares the workers of a process between the partners. With n partners that have running jobs, each gets 1/(n + 1) of
 * the workers, so a job of another partner does not wait for the backlog of those partners.
 */
export class PartnerShares {
  readonly #workers: number;
  /** Count of running jobs by flag. */
  readonly #running = new Map<string, number>();
  #lastFetch: Promise<void> = Promise.resolve();
  #endFetch = () => {};
  #isSkipping = false;
  /** The last fetch that skipped jobs found no other job. */
  #foundNoOther = false;
  #nextSkipping = 0;

  constructor(workers: number) {
    this.#workers = workers;
  }

  /** Fetches wait for each other: concurrent ones would give all workers to one partner. Returns the flags to skip. */
  async beginFetch(): Promise<string[]> {
    if (this.#foundNoOther && this.exhausted().length > 0) await this.#untilNextSkipping();
    const previous = this.#lastFetch;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastFetch = promise;
    await previous;
    this.#endFetch = resolve;
    const flags = this.exhausted();
    this.#isSkipping = flags.length > 0;
    return flags;
  }

  endFetch({ found }: { found: boolean }): void {
    if (this.#isSkipping) this.#foundNoOther = !found;
    this.#endFetch();
  }

  /** Flags of the partners that use their whole share. */
  exhausted(): string[] {
    const share = Math.max(1, Math.floor(this.#workers / (this.#running.size + 1)));
    return [...this.#running].filter(([, count]) => count >= share).map(([flag]) => flag);
  }

  async run(flags: readonly string[], work: () => Promise<void>): Promise<void> {
    for (const flag of flags) this.#add(flag, 1);
    try {
      await work();
    } finally {
      for (const flag of flags) this.#add(flag, -1);
    }
  }

  #add(flag: string, count: number): void {
    const running = (this.#running.get(flag) ?? 0) + count;
    if (running > 0) this.#running.set(flag, running);
    else this.#running.delete(flag);
  }

  async #untilNextSkipping(): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextSkipping);
    this.#nextSkipping = at + skippingEveryMs;
    await pause(at - now);
  }
}
