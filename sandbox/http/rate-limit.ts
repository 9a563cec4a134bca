/** Lets so many requests through in so many seconds; what was not used is not saved beyond that. */
export class RateLimit {
  readonly #requests: number;
  readonly #perSeconds: number;
  #left: number;
  #countedAt: number;

  constructor({ requests, perSeconds }: { requests: number; perSeconds: number }, now: number) {
    this.#requests = requests;
    this.#perSeconds = perSeconds;
    this.#left = requests;
    this.#countedAt = now;
  }

  /** Seconds to wait for the next request; 0 when this one may pass. Times are in milliseconds. */
  take(now: number): number {
    const perSecond = this.#requests / this.#perSeconds;
    this.#left = Math.min(this.#requests, this.#left + ((now - this.#countedAt) / 1000) * perSecond);
    this.#countedAt = now;
    if (this.#left < 1) return (1 - this.#left) / perSecond;
    this.#left -= 1;
    return 0;
  }
}
