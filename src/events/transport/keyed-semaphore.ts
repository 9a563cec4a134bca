/** Semaphore per owner; waiting work runs in order. Work without an owner is not limited. */
export class KeyedSemaphore {
  readonly #limit: number;
  readonly #running = new Map<number, number>();
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(most: number) {
    this.#limit = most;
  }

  async run<T>(owner: number | undefined, work: () => Promise<T>): Promise<T> {
    if (owner === undefined) return work();
    await this.#acquire(owner);
    try {
      return await work();
    } finally {
      this.#release(owner);
    }
  }

  #acquire(owner: number): Promise<void> | undefined {
    const running = this.#running.get(owner) ?? 0;
    if (running < this.#limit) {
      this.#running.set(owner, running + 1);
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), resolve]));
  }

  /** Passes the slot to the next waiter of this owner. */
  #release(owner: number): void {
    const [next, ...rest] = this.#waiting.get(owner) ?? [];
    if (rest.length > 0) this.#waiting.set(owner, rest);
    else this.#waiting.delete(owner);
    const running = (this.#running.get(owner) ?? 1) - 1;
    if (next) next();
    else if (running > 0) this.#running.set(owner, running);
    else this.#running.delete(owner);
  }
}
