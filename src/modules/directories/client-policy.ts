import { setTimeout as sleep } from 'node:timers/promises';
import { afterFailures, type BreakerPolicy, type BreakerState, closedBreaker, isOpen } from '../../breaker.ts';
import { type DirectoryFault, type DirectoryResult, isFault } from './connector.ts';
import type { Directory } from './directory.ts';

/** Token bucket with a capacity of one period. Times are in milliseconds. */
class TokenBucket {
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

/** A job searches, reads and submits. */
const callsPerJob = 3;
/** Not every rejected job comes back at its reserved time. */
const maxReservationMs = 3_600_000;

interface Runtime {
  now(): number;
  random(): number;
  sleep(milliseconds: number): Promise<unknown>;
}

const systemRuntime: Runtime = { now: () => performance.now(), random: Math.random, sleep };

/** Rate limit, retries with back-off and circuit breaker of one directory. */
export class ClientPolicy {
  readonly #name: string;
  readonly #policy: ClientPolicyOptions;
  readonly #runtime: Runtime;
  readonly #bucket: TokenBucket | undefined;
  #breaker: BreakerState = closedBreaker;
  #probing = false;
  #retryAfter = 0;
  /** End of the time that is reserved for rejected jobs. */
  #reservedUntil = 0;

  constructor(
    { name, rateLimit }: Pick<Directory, 'name'> & { rateLimit: Directory['rateLimit'] | undefined },
    policy: ClientPolicyOptions,
    runtime: Runtime = systemRuntime,
  ) {
    this.#name = name;
    this.#policy = policy;
    this.#runtime = runtime;
    this.#bucket = rateLimit && new TokenBucket(rateLimit, runtime.now());
  }

  /** `send` may run several times: it must be a read or carry an idempotency key. */
  async execute<T>(send: () => DirectoryResult<T>): DirectoryResult<T> {
    for (let attempt = 1; ; attempt += 1) {
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
    if (this.#isOpen() || this.#probing) return this.#unavailable('is unavailable and requests are paused');
    const limited = await this.#waitForToken();
    if (limited) return limited;
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
    const now = this.#runtime.now();
    const fault = isFault(result) ? result : undefined;
    this.#breaker =
      fault?.fault === 'unavailable' ? afterFailures(this.#policy.breaker, this.#breaker, 1, now) : closedBreaker;
    if (fault?.fault === 'limited') this.#retryAfter = now + fault.retryAfterSeconds * 1000;
  }

  /** Waits up to `maxWaitMs`; otherwise returns `limited` with the time to wait. */
  async #waitForToken(): Promise<DirectoryFault | undefined> {
    const now = this.#runtime.now();
    const wait = Math.max(this.#bucket?.waitMs(now) ?? 0, this.#retryAfter - now);
    if (wait > this.#policy.maxWaitMs) {
      const retryAfterSeconds = Math.ceil((this.#reserve(now + wait) - now) / 1000);
      return {
        fault: 'limited',
        retryAfterSeconds,
        detail: `The rate limit of ${this.#name} is reached. Retry in ${retryAfterSeconds} s.`,
      };
    }
    this.#bucket?.take(now);
    if (wait > 0) await this.#runtime.sleep(wait);
    return undefined;
  }

  /** Gives each rejected job its own time: jobs that retry together would be rejected again. */
  #reserve(earliest: number): number {
    const at = Math.min(Math.max(earliest, this.#reservedUntil), earliest + maxReservationMs);
    this.#reservedUntil = at + callsPerJob * (this.#bucket?.intervalMs ?? 0);
    return at;
  }

  #isOpen = () => isOpen(this.#breaker, this.#runtime.now());

  #unavailable = (reason: string): DirectoryFault => ({ fault: 'unavailable', detail: `${this.#name} ${reason}.` });
}
