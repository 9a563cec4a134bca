import { LRUCache } from 'lru-cache';
import { checkPushUrl, type Refusal, type TargetPolicy } from './address-guard.ts';
import { Deadlines } from './deadlines.ts';
import { Exchange, serializeRequest } from './exchange.ts';
import type { Failure } from './failure.ts';
import { IdleConnections, OriginPool, type PoolOptions } from './origin-pool.ts';
import type { Outcome } from './outcome.ts';

interface PushRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Id of the partner that owns the webhook; DNS look-ups are limited per partner. */
  owner?: number;
  /** Default: the timeout of the sender. */
  timeoutMs?: number | undefined;
}

interface Target {
  url: URL;
  origin: string;
}

const maxCachedUrls = 4096;

/** Posts to receivers that may be slow, broken or hostile. Always resolves to an outcome, never rejects. */
export class Sender {
  readonly #timeoutMs: number;
  /** By timeout. */
  readonly #deadlines = new Map<number, Deadlines<Exchange>>();
  readonly #options: PoolOptions;
  readonly #pools = new Map<string, OriginPool>();
  readonly #targets = new LRUCache<string, Target | Refusal>({ max: maxCachedUrls });
  readonly #idle = new IdleConnections();
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: { policy: TargetPolicy; timeoutMs: number; connectionsPerHost: number }) {
    const { policy, timeoutMs, connectionsPerHost } = options;
    this.#timeoutMs = timeoutMs;
    this.#options = { policy, connectionsPerHost, idle: this.#idle, removePool: (pool) => this.#removePool(pool) };
  }

  send({ url, headers, body, owner, timeoutMs = this.#timeoutMs }: PushRequest): Promise<Outcome> {
    const target = this.#targets.get(url) ?? this.#resolveTarget(url);
    if ('rule' in target) return notSent({ reason: 'guarded', detail: target.message });
    if (this.#closed) return notSent({ reason: 'unreachable', detail: 'This service is shutting down.' });
    const pool = this.#pools.get(target.origin) ?? this.#openPool(target.url);
    const deadlines = this.#deadlines.get(timeoutMs) ?? this.#addDeadlines(timeoutMs);
    return new Promise((resolve) => {
      pool.submit(new Exchange(serializeRequest(target.url, headers, body), pool, deadlines, resolve, owner));
    });
  }

  /** Resolves when all requests in flight have an outcome. */
  async close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    this.#idle.close();
    if (this.#pools.size === 0) this.#closed.resolve();
    await this.#closed.promise;
    for (const deadlines of this.#deadlines.values()) deadlines.stop();
  }

  #addDeadlines(timeoutMs: number): Deadlines<Exchange> {
    const deadlines = new Deadlines<Exchange>(timeoutMs);
    this.#deadlines.set(timeoutMs, deadlines);
    return deadlines;
  }

  #resolveTarget(text: string): Target | Refusal {
    const url = checkPushUrl(text, this.#options.policy);
    const target = 'rule' in url ? url : { url, origin: url.origin };
    this.#targets.set(text, target);
    return target;
  }

  #openPool(url: URL): OriginPool {
    const pool = new OriginPool(url, this.#options);
    this.#pools.set(pool.origin, pool);
    return pool;
  }

  #removePool(pool: OriginPool): void {
    this.#pools.delete(pool.origin);
    if (this.#closed && this.#pools.size === 0) this.#closed.resolve();
  }
}

function notSent({ reason, detail }: Failure): Promise<Outcome> {
  return Promise.resolve({ kind: 'unreachable', reason, detail, phases: { totalMs: 0 } });
}
