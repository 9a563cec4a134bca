import { Problem } from '../../../problems.ts';

interface Limits {
  /** Pieces of work that run at once, at most one of each partner. */
  atOnce: number;
  /** Pieces of work of one partner that may wait. */
  waitingPerPartner: number;
}

type Start = () => void;

/** Runs work for partners in turn: a partner waits for the work of others, never behind a queue of theirs. */
export class PartnerQueue {
  readonly #limits: Limits;
  readonly #running = new Set<number>();
  /** In the order of turns. */
  readonly #waiting = new Map<number, Start[]>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  async run<T>(partnerId: number, work: () => Promise<T>): Promise<T> {
    await this.#turn(partnerId);
    try {
      return await work();
    } finally {
      this.#running.delete(partnerId);
      this.#startNext();
    }
  }

  #turn(partnerId: number): Promise<void> {
    const waiting = this.#waiting.get(partnerId) ?? [];
    if (waiting.length >= this.#limits.waitingPerPartner) {
      throw new Problem('QUOTA_LIMIT_EXCEED', {
        message: `${waiting.length} files of this partner are being checked already. Send this one again later.`,
        retryAfterSeconds: 10,
      });
    }
    return new Promise((resolve) => {
      this.#waiting.set(partnerId, [...waiting, resolve]);
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#running.size >= this.#limits.atOnce) return;
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
