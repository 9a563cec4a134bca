import { setTimeout as sleep } from 'node:timers/promises';
import { type BreakerPolicy, observe, type Standing, sound } from './breaker.ts';
import { type DirectoryFault, type DirectoryResult, isFault } from './connector.ts';
import type { Directory } from './directory.ts';
import { TokenBucket } from './token-bucket.ts';

export interface ClientPolicyOptions {
  /** Times that a call is tried in all while the directory is unavailable. */
  attempts: number;
  /** Before the second try; doubled before each further one. */
  backoffMs: number;
  /** Longer waits for the rate limit are not waited for but said. */
  maxWaitMs: number;
  breaker: BreakerPolicy;
}

export const defaultClientPolicyOptions: ClientPolicyOptions = {
  attempts: 3,
  backoffMs: 250,
  maxWaitMs: 2_000,
  breaker: { threshold: 6, firstPauseMs: 15_000, maxPauseMs: 300_000 },
};

/** Searching, reading, submitting. */
const callsPerVisit = 3;
/** Not all of those who were promised a time come back for it. */
const longestPromiseMs = 3_600_000;

/** Clock and dice. */
interface Chance {
  now(): number;
  random(): number;
  sleep(milliseconds: number): Promise<unknown>;
}

const real: Chance = { now: () => performance.now(), random: Math.random, sleep };

/**
 * How one directory is treated: no faster than it allows, again when it stumbles, and not at all for a while when it
 * is down. The others notice nothing of it.
 */
export class ClientPolicy {
  readonly #name: string;
  readonly #policy: ClientPolicyOptions;
  readonly #chance: Chance;
  readonly #allowance: TokenBucket | undefined;
  #standing: Standing = sound;
  #probing = false;
  #askedToWaitUntil = 0;
  /** Until when those who were sent away will be busy with their calls. */
  #promisedUntil = 0;

  constructor(
    { name, rateLimit }: Pick<Directory, 'name'> & { rateLimit: Directory['rateLimit'] | undefined },
    policy: ClientPolicyOptions,
    chance: Chance = real,
  ) {
    this.#name = name;
    this.#policy = policy;
    this.#chance = chance;
    this.#allowance = rateLimit && new TokenBucket(rateLimit, chance.now());
  }

  /** Every request goes through here. It must be safe to send twice: a read, or one with an idempotency key. */
  async ask<T>(send: () => DirectoryResult<T>): DirectoryResult<T> {
    for (let tried = 1; ; tried += 1) {
      const answer = await this.#askOnce(send);
      if (!isFault(answer) || answer.fault === 'refused' || tried >= this.#policy.attempts) return answer;
      if (answer.fault === 'limited') {
        if (answer.retryAfterSeconds * 1000 > this.#policy.maxWaitMs) return answer;
      } else {
        // What has been down once is asked again by the next call, not by this one.
        if (this.#standing.trips > 0) return answer;
        // Full jitter: those who failed together do not come back together.
        await this.#chance.sleep(this.#chance.random() * this.#policy.backoffMs * 2 ** (tried - 1));
      }
    }
  }

  async #askOnce<T>(send: () => DirectoryResult<T>): DirectoryResult<T> {
    if (this.#isOpen() || this.#probing) return this.#left('is down and is left alone for a while');
    const limited = await this.#waitForTurn();
    if (limited) return limited;
    const isProbe = this.#standing.trips > 0;
    // Others may have waited for the same moment: one of them is enough to see whether it is back.
    if (isProbe && (this.#probing || this.#isOpen())) return this.#left('is down and is being probed');
    this.#probing = isProbe;
    try {
      const answer = await send();
      this.#learn(answer);
      return answer;
    } finally {
      if (isProbe) this.#probing = false;
    }
  }

  #learn(answer: unknown): void {
    const now = this.#chance.now();
    const fault = isFault(answer) ? answer : undefined;
    this.#standing = observe(this.#policy.breaker, this.#standing, fault?.fault !== 'unavailable', now);
    if (fault?.fault === 'limited') this.#askedToWaitUntil = now + fault.retryAfterSeconds * 1000;
  }

  /** Waits as long as is bearable; says how long it would take when it is not. */
  async #waitForTurn(): Promise<DirectoryFault | undefined> {
    const now = this.#chance.now();
    const wait = Math.max(this.#allowance?.wait(now) ?? 0, this.#askedToWaitUntil - now);
    if (wait > this.#policy.maxWaitMs) {
      const retryAfterSeconds = Math.ceil((this.#promise(now + wait) - now) / 1000);
      return {
        fault: 'limited',
        retryAfterSeconds,
        detail: `${this.#name} allows no more calls for ${retryAfterSeconds} s.`,
      };
    }
    this.#allowance?.take(now);
    if (wait > 0) await this.#chance.sleep(wait);
    return undefined;
  }

  /** Each who is sent away is told another time: sent back together, most of them would be sent away again. */
  #promise(free: number): number {
    const at = Math.min(Math.max(free, this.#promisedUntil), free + longestPromiseMs);
    this.#promisedUntil = at + callsPerVisit * (this.#allowance?.distance ?? 0);
    return at;
  }

  #isOpen = () => this.#standing.openUntil > this.#chance.now();

  #left = (how: string): DirectoryFault => ({ fault: 'unavailable', detail: `${this.#name} ${how}.` });
}
