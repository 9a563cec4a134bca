/** Token bucket with a capacity of one period. Times are in milliseconds. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #refillPerMs: number;
  #tokens: number;
  #refilledAt: number;

  constructor({ requests, perSeconds }: { requests: number; perSeconds: number }, now: number) {
    this.#capacity = requests;
    this.#refillPerMs = requests / (perSeconds * 1000);
    this.#tokens = requests;
    this.#refilledAt = now;
  }

  get intervalMs(): number {
    return 1 / this.#refillPerMs;
  }

  /** Time until a token is available. */
  waitMs(now: number): number {
    this.#refill(now);
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) / this.#refillPerMs;
  }

  /** May go below zero to reserve a future token: later callers wait longer. */
  take(now: number): void {
    this.#refill(now);
    this.#tokens -= 1;
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#refilledAt) * this.#refillPerMs);
    this.#refilledAt = now;
  }
}
