import { Problem } from '../../../problems.ts';

interface Limits {
  /** Tasks that run concurrently, at most one per partner. */
  concurrency: number;
  /** Waiting tasks per partner. */
  waitingPerPartner: number;
}

type Start = () => void;

/** Runs tasks round-robin by partner, so that no partner waits behind the queue of another. */
export class PartnerQueue {
  readonly #limits: Limits;
  readonly #running = new Set<number>();
  /** In round-robin order. */
  readonly #waiting = new Map<number, Start[]>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  async run<T>(partnerId: number, work: () => Promise<T>): Promise<T> {
    await this.#acquire(partnerId);
    try {
      return await work();
    } finally {
      this.#running.delete(partnerId);
      this.#startNext();
    }
  }

  #acquire(partnerId: number): Promise<void> {
    const waiting = this.#waiting.get(partnerId) ?? [];
    if (waiting.length >= this.#limits.waitingPerPartner) {
      throw new Problem('QUOTA_LIMIT_EXCEED', {
        message: `${waiting.length} files of this partner are already being checked. Try again later.`,
        retryAfterSeconds: 10,
      });
    }
    return new Promise((resolve) => {
      this.#waiting.set(partnerId, [...waiting, resolve]);
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#running.size >= this.#limits.concurrency) return;
    for (const [partnerId, [start, ...rest]] of this.#waiting) {
      if (this.#running.has(partnerId)) continue;
      this.#waiting.delete(partnerId);
      if (rest.length > 0) this.#waiting.set(partnerId, rest);
      this.#running.add(partnerId);
      start?.();
      return;
    }
  }
}
