import { setTimeout as sleep } from 'node:timers/promises';
import { afterFailures, type BreakerPolicy, type BreakerState, closedBreaker, isOpen } from '../../breaker.ts';
import { type DirectoryFault, type DirectoryResult, isFault } from './connector.ts';
import type { Directory } from './directory.ts';
import type { Caller } from './fair-queue.ts';
import { type LimiterRuntime, RateLimiter } from './rate-limiter.ts';

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
