import type { DirectoryRules } from '../directories/directory-rules.ts';
import { directorySetting } from '../state/directory-settings.ts';
import type { Network } from '../state/network.ts';

const unlimited = { requests: 1_000_000, perSeconds: 1 };

/** Counts requests and enforces the rate limits, by a monotonic clock instead of the sandbox clock. */
export class Traffic {
  readonly #network: Network;
  readonly #ownLimits: boolean;
  readonly #limits = new Map<string, { settings: string; limit: RateLimit }>();
  readonly #requests = new Map<string, number>();
  readonly #limited = new Map<string, number>();

  /** Without `ownLimits`, only limits set by the control API apply. */
  constructor(network: Network, ownLimits: boolean) {
    this.#network = network;
    this.#ownLimits = ownLimits;
  }

  limitOf({ type, limit }: DirectoryRules): { requests: number; perSeconds: number } {
    return directorySetting(this.#network, type, 'limit') ?? (this.#ownLimits ? limit : unlimited);
  }

  /** Seconds to wait; 0 if the request is allowed. */
  take(rules: DirectoryRules, installation: number): number {
    const now = performance.now();
    const seconds = this.#limitFor(rules, installation, now).take(now);
    const counted = seconds > 0 ? this.#limited : this.#requests;
    counted.set(rules.type, (counted.get(rules.type) ?? 0) + 1);
    return seconds;
  }

  requests = (directory: string): number => this.#requests.get(directory) ?? 0;

  limited = (directory: string): number => this.#limited.get(directory) ?? 0;

  /** A changed limit starts with a full bucket. */
  #limitFor(rules: DirectoryRules, installation: number, now: number): RateLimit {
    const key = `${rules.type} ${installation}`;
    const current = this.limitOf(rules);
    const settings = JSON.stringify(current);
    const existing = this.#limits.get(key);
    if (existing?.settings === settings) return existing.limit;
    const limit = new RateLimit(current, now);
    this.#limits.set(key, { settings, limit });
    return limit;
  }
}

/** Token bucket with a capacity of one period. */
class RateLimit {
  readonly #requests: number;
  readonly #perSeconds: number;
  #tokens: number;
  #refilledAt: number;

  constructor({ requests, perSeconds }: { requests: number; perSeconds: number }, now: number) {
    this.#requests = requests;
    this.#perSeconds = perSeconds;
    this.#tokens = requests;
    this.#refilledAt = now;
  }

  /** Takes a token and returns 0, or returns the seconds until one is available. `now` is in milliseconds. */
  take(now: number): number {
    const perSecond = this.#requests / this.#perSeconds;
    this.#tokens = Math.min(this.#requests, this.#tokens + ((now - this.#refilledAt) / 1000) * perSecond);
    this.#refilledAt = now;
    if (this.#tokens < 1) return (1 - this.#tokens) / perSecond;
    this.#tokens -= 1;
    return 0;
  }
}
