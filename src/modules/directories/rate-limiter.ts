import { type RateLimit, roundingError, TokenBucket } from '../../values/token-bucket.ts';
import { type Caller, FairQueue } from './fair-queue.ts';

/** A job searches, reads and submits. */
const callsPerJob = 3;
/** Not every rejected job comes back at its reserved time. */
const maxReservationMs = 3_600_000;

/**
 * Gives each rejected job of a partner its own time to return: jobs that retry together would be rejected again. Partners
 * do not wait for each other's reservations; the queue shares the tokens between the jobs that return at the same time.
 */
class Reservations {
  readonly #reservedUntil = new Map<string, number>();
  readonly #jobMs: number;

  constructor(intervalMs: number) {
    this.#jobMs = callsPerJob * intervalMs;
  }

  reserve({ partnerId, requested }: Caller, earliest: number): number {
    const key = `${partnerId}-${requested}`;
    const at = Math.min(Math.max(earliest, this.#reservedUntil.get(key) ?? 0), earliest + maxReservationMs);
    this.#reservedUntil.set(key, at + this.#jobMs);
    return at;
  }
}

export interface LimiterRuntime {
  now(): number;
  sleep(milliseconds: number): Promise<unknown>;
}

interface WaitingCall {
  caller: Caller;
  settle(admission: Admission): void;
}

export type Admission = { admitted: true } | { admitted: false; retryAfterMs: number };

/** Shares the rate limit of a directory between the partners, see FairQueue. */
export class RateLimiter {
  readonly #maxWaitMs: number;
  readonly #runtime: LimiterRuntime;
  readonly #bucket: TokenBucket | undefined;
  readonly #intervalMs: number;
  readonly #queue = new FairQueue<WaitingCall>();
  readonly #reservations: Reservations;
  #pausedUntil = 0;
  #isGranting = false;

  /** Without a limit, calls wait only while the directory is paused. */
  constructor(limit: RateLimit | undefined, maxWaitMs: number, runtime: LimiterRuntime) {
    this.#maxWaitMs = maxWaitMs;
    this.#runtime = runtime;
    this.#bucket = limit && new TokenBucket(limit, runtime.now());
    this.#intervalMs = this.#bucket?.intervalMs ?? 0;
    this.#reservations = new Reservations(this.#intervalMs);
  }

  /** Retry-After of the directory. */
  pause(milliseconds: number): void {
    this.#pausedUntil = this.#runtime.now() + milliseconds;
  }

  /** Waits for a token, for about `maxWaitMs` at most. Otherwise rejects the call with a time to retry. */
  admit(caller: Caller): Promise<Admission> {
    return new Promise((settle) => {
      this.#queue.add(caller, { caller, settle });
      const spareMs = this.#maxWaitMs - this.#waitMs();
      const dropped = this.#queue.dropOverflow(1 + this.#tokensWithin(spareMs));
      if (dropped) this.#reject(dropped);
      void this.#grantWaiting();
    });
  }

  async #grantWaiting(): Promise<void> {
    if (this.#isGranting) return;
    this.#isGranting = true;
    while (this.#queue.size > 0) {
      const wait = this.#waitMs();
      if (wait > this.#maxWaitMs) {
        for (const call of this.#queue.dropAll()) this.#reject(call);
      } else if (wait > 0) {
        await this.#runtime.sleep(wait);
      } else {
        this.#bucket?.take();
        this.#queue.next()?.settle({ admitted: true });
      }
    }
    this.#isGranting = false;
  }

  #reject({ caller, settle }: WaitingCall): void {
    const now = this.#runtime.now();
    const earliest = now + this.#waitMs() + this.#queue.size * this.#intervalMs;
    settle({ admitted: false, retryAfterMs: this.#reservations.reserve(caller, earliest) - now });
  }

  #tokensWithin(milliseconds: number): number {
    return this.#intervalMs === 0 ? Infinity : Math.floor(milliseconds / this.#intervalMs + roundingError);
  }

  /** Time until the next call can be sent. */
  #waitMs(): number {
    const now = this.#runtime.now();
    return Math.max(this.#bucket?.waitMs(now) ?? 0, this.#pausedUntil - now, 0);
  }
}
