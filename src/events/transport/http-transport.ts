import { LRUCache } from 'lru-cache';
import type { ClientIdentity, OAuthCredentials } from '../signing/webhook-credentials.ts';
import { type AccessToken, AccessTokens } from './access-tokens.ts';
import { checkPushUrl, type Refusal } from './address-guard.ts';
import { Deadlines } from './deadlines.ts';
import { Exchange, serializeRequest } from './exchange.ts';
import type { Failure } from './failure.ts';
import { IdleConnections, OriginPool, type PoolOptions } from './origin-pool.ts';
import type { HttpOutcome } from './outcome.ts';
import type { PushRequest, TransportOptions } from './transport.ts';

interface Target {
  url: URL;
  origin: string;
}

const maxCachedUrls = 4096;
const maxTokenMs = 10_000;

/** The longest time of a request with this time limit. With a token, it may be sent twice (decision 56). */
export const longestRequestMs = (timeoutMs: number, hasToken: boolean): number =>
  hasToken ? maxTokenMs + 1.5 * timeoutMs : timeoutMs;

/** Posts to receivers that may be slow, broken or hostile. Always resolves to an outcome, never rejects. */
export class HttpTransport {
  readonly #timeoutMs: number;
  /** By timeout. */
  readonly #deadlines = new Map<number, Deadlines<Exchange>>();
  readonly #options: PoolOptions;
  readonly #pools = new Map<string, OriginPool>();
  readonly #targets = new LRUCache<string, Target | Refusal>({ max: maxCachedUrls });
  readonly #idle = new IdleConnections();
  readonly #tokens: AccessTokens;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor({ policy, timeoutMs, connectionsPerHost, proxy }: TransportOptions) {
    this.#timeoutMs = timeoutMs;
    const removePool = (pool: OriginPool) => this.#removePool(pool);
    this.#options = { policy, proxy, connectionsPerHost, idle: this.#idle, removePool };
    const tokenMs = Math.min(timeoutMs, maxTokenMs);
    this.#tokens = new AccessTokens((request) =>
      this.#post({ ...request, timeoutMs: tokenMs }, `token ${request.owner} `),
    );
  }

  send(request: PushRequest): Promise<HttpOutcome> {
    return request.oauth ? this.#sendWithToken(request, request.oauth) : this.#post(request);
  }

  /** If the receiver rejects a cached token with 401 in the first half of the time limit, the request is sent again with a new one. */
  async #sendWithToken(request: PushRequest, oauth: OAuthCredentials): Promise<HttpOutcome> {
    const began = performance.now();
    const cached = this.#tokens.cached(oauth);
    if (cached) {
      const outcome = await this.#post(withToken(request, cached));
      if (outcome.response?.status !== 401) return outcome;
      this.#tokens.reject(oauth, cached);
      const { timeoutMs = this.#timeoutMs } = request;
      if (outcome.phases.totalMs >= timeoutMs / 2) return outcome;
    }
    const token = await this.#tokens.get(oauth, request.headers['user-agent'] ?? '', request.owner);
    const tokenMs = performance.now() - began;
    if ('reason' in token) return { kind: 'unreachable', ...token, phases: { tokenMs, totalMs: tokenMs } };
    const outcome = await this.#post(withToken(request, token));
    if (outcome.response?.status === 401) this.#tokens.reject(oauth, token);
    return { ...outcome, phases: { tokenMs, ...outcome.phases, totalMs: tokenMs + outcome.phases.totalMs } };
  }

  /** Token requests of a partner have connections of their own, so they do not wait for receivers and other partners. */
  #post(request: PushRequest, purpose = ''): Promise<HttpOutcome> {
    const { url, headers, body, owner, timeoutMs = this.#timeoutMs, identity } = request;
    const target = this.#targets.get(url) ?? this.#resolveTarget(url);
    if ('rule' in target) return notSent({ reason: 'guarded', detail: target.message });
    if (this.#closed) return notSent({ reason: 'unreachable', detail: 'This service is shutting down.' });
    const key = identity ? `${identity.id} ${target.origin}` : purpose + target.origin;
    const pool = this.#pools.get(key) ?? this.#openPool(key, target.url, identity);
    const deadlines = this.#deadlines.get(timeoutMs) ?? this.#addDeadlines(timeoutMs);
    return new Promise((resolve) => {
      pool.submit(new Exchange(serializeRequest(target.url, headers, body), pool, deadlines, resolve, owner));
    });
  }

  /** Ends the requests in flight. */
  async abort(): Promise<void> {
    const closed = this.close();
    for (const deadlines of this.#deadlines.values()) deadlines.expireAll();
    await closed;
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

  #openPool(key: string, url: URL, identity: ClientIdentity | undefined): OriginPool {
    const pool = new OriginPool(key, url, this.#options, identity);
    this.#pools.set(key, pool);
    return pool;
  }

  #removePool(pool: OriginPool): void {
    this.#pools.delete(pool.key);
    if (this.#closed && this.#pools.size === 0) this.#closed.resolve();
  }
}

const withToken = (request: PushRequest, { authorization }: AccessToken): PushRequest => ({
  ...request,
  headers: { ...request.headers, authorization },
});

export function notSent({ reason, detail }: Failure): Promise<HttpOutcome> {
  return Promise.resolve({ kind: 'unreachable', reason, detail, phases: { totalMs: 0 } });
}
