/** Lets each owner run so many pieces of work at once; the rest waits in order. Work without an owner does not wait. */
export class LookupSlots {
  readonly #most: number;
  readonly #running = new Map<number, number>();
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(owner: number | undefined, work: () => Promise<T>): Promise<T> {
    if (owner === undefined) return work();
    await this.#enter(owner);
    try {
      return await work();
    } finally {
      this.#leave(owner);
    }
  }

  #enter(owner: number): Promise<void> | undefined {
    const running = this.#running.get(owner) ?? 0;
    if (running < this.#most) {
      this.#running.set(owner, running + 1);
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), resolve]));
  }

  /** The slot passes to the next one that waits. */
  #leave(owner: number): void {
    const [next, ...rest] = this.#waiting.get(owner) ?? [];
    if (rest.length > 0) this.#waiting.set(owner, rest);
    else this.#waiting.delete(owner);
    const running = (this.#running.get(owner) ?? 1) - 1;
    if (next) next();
    else if (running > 0) this.#running.set(owner, running);
    else this.#running.delete(owner);
  }
}
