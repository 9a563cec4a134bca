import type { DirectoryRules } from '../directories/directory-rules.ts';
import { directorySetting } from '../state/directory-settings.ts';
import type { Network } from '../state/network.ts';
import { RateLimit } from './rate-limit.ts';

const unlimited = { requests: 1_000_000, perSeconds: 1 };

/** Counts requests, and holds installations to the limits of the directories. By a clock that nobody sets. */
export class Traffic {
  readonly #network: Network;
  readonly #ownLimits: boolean;
  readonly #limits = new Map<string, { terms: string; limit: RateLimit }>();
  readonly #requests = new Map<string, number>();
  readonly #limited = new Map<string, number>();

  /** Without their own limits, directories keep only to those that somebody has set. */
  constructor(network: Network, ownLimits: boolean) {
    this.#network = network;
    this.#ownLimits = ownLimits;
  }

  limitOf({ type, limit }: DirectoryRules): { requests: number; perSeconds: number } {
    return directorySetting(this.#network, type, 'limit') ?? (this.#ownLimits ? limit : unlimited);
  }

  /** Seconds to wait; 0 when the request may pass. */
  take(rules: DirectoryRules, installation: number): number {
    const now = performance.now();
    const seconds = this.#limitFor(rules, installation, now).take(now);
    const counted = seconds > 0 ? this.#limited : this.#requests;
    counted.set(rules.type, (counted.get(rules.type) ?? 0) + 1);
    return seconds;
  }

  requests = (directory: string): number => this.#requests.get(directory) ?? 0;

  limited = (directory: string): number => this.#limited.get(directory) ?? 0;

  /** New terms begin with a full allowance. */
  #limitFor(rules: DirectoryRules, installation: number, now: number): RateLimit {
    const key = `${rules.type} ${installation}`;
    const current = this.limitOf(rules);
    const terms = JSON.stringify(current);
    const known = this.#limits.get(key);
    if (known?.terms === terms) return known.limit;
    const limit = new RateLimit(current, now);
    this.#limits.set(key, { terms, limit });
    return limit;
  }
}
