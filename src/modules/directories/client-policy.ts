import { setTimeout as sleep } from 'node:timers/promises';
import { afterFailures, type BreakerPolicy, type BreakerState, closedBreaker, isOpen } from '../../breaker.ts';
import { type RateLimit, roundingError, TokenBucket } from '../../values/token-bucket.ts';
import { type DirectoryFault, type DirectoryResult, isFault } from './connector.ts';
import type { Directory } from './directory-list.ts';
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

  /** Retry-After of the directory. Responses to concurrent requests can name different times: the latest applies. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#runtime.now() + milliseconds);
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

export interface ClientPolicyOptions {
  /** Maximum attempts per call, including the first. */
  attempts: number;
  /** Maximum delay before the second attempt. Doubled before each further attempt. */
  backoffMs: number;
  /** Longest wait for the rate limit. Calls that would wait longer fail with `limited`. */
  maxWaitMs: number;
  breaker: BreakerPolicy;
}

export const defaultClientPolicyOptions: ClientPolicyOptions = {
  attempts: 3,
  backoffMs: 250,
  maxWaitMs: 2_000,
  breaker: { threshold: 6, firstPause: 15, maxPause: 300 },
};

interface Runtime extends LimiterRuntime {
  random(): number;
}

const systemRuntime: Runtime = { now: () => performance.now(), random: Math.random, sleep };

/** Rate limit, retries with back-off and circuit breaker of one directory. */
export class ClientPolicy {
  readonly #name: string;
  readonly #policy: ClientPolicyOptions;
  readonly #runtime: Runtime;
  readonly #limiter: RateLimiter;
  #breaker: BreakerState = closedBreaker;
  #probing = false;

  constructor(
    { name, rateLimit }: Pick<Directory, 'name'> & { rateLimit: Directory['rateLimit'] | undefined },
    policy: ClientPolicyOptions,
    runtime: Runtime = systemRuntime,
  ) {
    this.#name = name;
    this.#policy = policy;
    this.#runtime = runtime;
    this.#limiter = new RateLimiter(rateLimit, policy.maxWaitMs, runtime);
  }

  /** `send` may run several times: it must be a read or carry an idempotency key. */
  async execute<T>(caller: Caller, send: () => DirectoryResult<T>): DirectoryResult<T> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#isOpen() || this.#probing) return this.#unavailable('is unavailable and requests are paused');
      const admission = await this.#limiter.admit(caller);
      if (!admission.admitted) return this.#limited(Math.ceil(admission.retryAfterMs / 1000));
      const result = await this.#attempt(send);
      if (!isFault(result) || result.fault === 'refused' || attempt >= this.#policy.attempts) return result;
      if (result.fault === 'limited') {
        if (result.retryAfterSeconds * 1000 > this.#policy.maxWaitMs) return result;
      } else {
        // After the breaker has opened, the next call probes the directory.
        if (this.#breaker.trips > 0) return result;
        // Full jitter spreads the retries of calls that failed together.
        await this.#runtime.sleep(this.#runtime.random() * this.#policy.backoffMs * 2 ** (attempt - 1));
      }
    }
  }

  async #attempt<T>(send: () => DirectoryResult<T>): DirectoryResult<T> {
    const isProbe = this.#breaker.trips > 0;
    // Another call may have started the probe while this one waited.
    if (isProbe && (this.#probing || this.#isOpen())) return this.#unavailable('is unavailable and is being probed');
    this.#probing = isProbe;
    try {
      const result = await send();
      this.#record(result);
      return result;
    } finally {
      if (isProbe) this.#probing = false;
    }
  }

  #record(result: unknown): void {
    const fault = isFault(result) ? result : undefined;
    this.#breaker =
      fault?.fault === 'unavailable'
        ? afterFailures(this.#policy.breaker, this.#breaker, 1, this.#runtime.now())
        : closedBreaker;
    if (fault?.fault === 'limited') this.#limiter.pause(fault.retryAfterSeconds * 1000);
  }

  #isOpen = () => isOpen(this.#breaker, this.#runtime.now());

  #limited = (retryAfterSeconds: number): DirectoryFault => ({
    fault: 'limited',
    retryAfterSeconds,
    detail: `The rate limit of ${this.#name} is reached. Retry in ${retryAfterSeconds} s.`,
  });

  #unavailable = (reason: string): DirectoryFault => ({ fault: 'unavailable', detail: `${this.#name} ${reason}.` });
}
