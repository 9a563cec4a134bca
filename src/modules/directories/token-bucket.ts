/** How many calls a directory allows; what was not used is not saved beyond its period. Times are in milliseconds. */
export class TokenBucket {
  readonly #requests: number;
  readonly #perMs: number;
  #left: number;
  #countedAt: number;

  constructor({ requests, perSeconds }: { requests: number; perSeconds: number }, now: number) {
    this.#requests = requests;
    this.#perMs = requests / (perSeconds * 1000);
    this.#left = requests;
    this.#countedAt = now;
  }

  /** How far calls are apart where every one that is allowed is made. */
  get distance(): number {
    return 1 / this.#perMs;
  }

  /** How long to wait for the next call that is free. */
  wait(now: number): number {
    this.#count(now);
    return this.#left >= 1 ? 0 : (1 - this.#left) / this.#perMs;
  }

  /** Takes one, or one of those to come: whoever comes later waits longer. */
  take(now: number): void {
    this.#count(now);
    this.#left -= 1;
  }

  #count(now: number): void {
    this.#left = Math.min(this.#requests, this.#left + (now - this.#countedAt) * this.#perMs);
    this.#countedAt = now;
  }
}
