export interface RateLimit {
  requests: number;
  perSeconds: number;
}

/** Refilled tokens are fractions: after ten intervals, the sum can be just below 10. */
export const roundingError = 1e-6;

/** Token bucket with the capacity of one period. `now` is a monotonic time in milliseconds. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #refillPerMs: number;
  #tokens: number;
  #refilledAt: number;

  constructor({ requests, perSeconds }: RateLimit, now: number) {
    this.#capacity = requests;
    this.#refillPerMs = requests / (perSeconds * 1000);
    this.#tokens = requests;
    this.#refilledAt = now;
  }

  /** Time between two tokens. */
  get intervalMs(): number {
    return 1 / this.#refillPerMs;
  }

  /** Number of whole tokens. */
  available(now: number): number {
    this.#refill(now);
    return Math.max(0, Math.floor(this.#tokens + roundingError));
  }

  /** Time until a token is available. */
  waitMs(now: number): number {
    this.#refill(now);
    return this.#tokens > 1 - roundingError ? 0 : (1 - this.#tokens) / this.#refillPerMs;
  }

  take(count = 1): void {
    this.#tokens -= count;
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#refilledAt) * this.#refillPerMs);
    this.#refilledAt = now;
  }
}
