import { LRUCache } from 'lru-cache';
import { checkPushUrl, type Refusal, type TargetPolicy } from './address-guard.ts';
import { Deadlines } from './deadlines.ts';
import { Exchange } from './exchange.ts';
import type { Failure } from './failure.ts';
import { IdleConnections } from './idle-connections.ts';
import { OriginPool, type PoolTerms } from './origin-pool.ts';
import type { Outcome } from './outcome.ts';
import { requestText } from './request-text.ts';

interface PushRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** The partner whose webhook it is; its look-ups of names have a share of their own. */
  owner?: number;
}

interface Target {
  url: URL;
  origin: string;
}

const rememberedUrls = 4096;

/** Posts to receivers that may be slow, broken or hostile. What comes of it is always an outcome, never an error. */
export class Sender {
  readonly #deadlines: Deadlines<Exchange>;
  readonly #terms: PoolTerms;
  readonly #pools = new Map<string, OriginPool>();
  readonly #targets = new LRUCache<string, Target | Refusal>({ max: rememberedUrls });
  readonly #idle = new IdleConnections();
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: { policy: TargetPolicy; timeoutMs: number; connectionsPerHost: number }) {
    const { policy, timeoutMs, connectionsPerHost } = options;
    this.#deadlines = new Deadlines(timeoutMs);
    this.#terms = { policy, connectionsPerHost, idle: this.#idle, forget: (pool) => this.#forget(pool) };
  }

  send({ url, headers, body, owner }: PushRequest): Promise<Outcome> {
    const target = this.#targets.get(url) ?? this.#remember(url);
    if ('rule' in target) return notSent({ reason: 'guarded', detail: target.message });
    if (this.#closed) return notSent({ reason: 'unreachable', detail: 'This service is being stopped.' });
    const pool = this.#pools.get(target.origin) ?? this.#openPool(target.url);
    return new Promise((resolve) => {
      pool.carry(new Exchange(requestText(target.url, headers, body), pool, this.#deadlines, resolve, owner));
    });
  }

  /** Ends once everything under way has its outcome. */
  async close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    this.#idle.close();
    if (this.#pools.size === 0) this.#closed.resolve();
    await this.#closed.promise;
    this.#deadlines.stop();
  }

  #remember(text: string): Target | Refusal {
    const url = checkPushUrl(text, this.#terms.policy);
    const target = 'rule' in url ? url : { url, origin: url.origin };
    this.#targets.set(text, target);
    return target;
  }

  #openPool(url: URL): OriginPool {
    const pool = new OriginPool(url, this.#terms);
    this.#pools.set(pool.origin, pool);
    return pool;
  }

  #forget(pool: OriginPool): void {
    this.#pools.delete(pool.origin);
    if (this.#closed && this.#pools.size === 0) this.#closed.resolve();
  }
}

function notSent({ reason, detail }: Failure): Promise<Outcome> {
  return Promise.resolve({ kind: 'unreachable', reason, detail, phases: { totalMs: 0 } });
}
