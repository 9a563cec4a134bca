import { STATUS_CODES } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { OAuthCredentials } from '../signing/webhook-credentials.ts';
import type { Failure } from './failure.ts';
import { parseJsonObject } from './json-object.ts';
import type { HttpOutcome, ReceiverResponse } from './outcome.ts';
import type { PushRequest } from './transport.ts';

const maxCached = 1000;
/** Request lines and headers of servers are often limited to 8 KiB. */
const maxTokenLength = 8000;
const defaultLifetimeSeconds = 300;
const maxLifetimeSeconds = 86_400;
/** A token is renewed this long before it expires, or after three quarters of a short lifetime. */
const marginSeconds = 30;
const visibleText = /^[\x21-\x7e]+$/;
const errorCode = /^[\w.-]{1,100}$/;

export interface AccessToken {
  /** Value of the Authorization header. */
  readonly authorization: string;
  /** Monotonic time. */
  readonly usableUntil: number;
}

type TokenRequest = Pick<PushRequest, 'url' | 'headers' | 'body' | 'owner'>;

/**
 * Access tokens of webhooks (OAuth 2.0 client credentials), cached until shortly before they expire. Token servers may be
 * slow, broken or hostile, like receivers.
 */
export class AccessTokens {
  readonly #post: (request: TokenRequest) => Promise<HttpOutcome>;
  readonly #cached = new LRUCache<string, AccessToken>({ max: maxCached });
  readonly #pending = new Map<string, Promise<AccessToken | Failure>>();

  constructor(post: (request: TokenRequest) => Promise<HttpOutcome>) {
    this.#post = post;
  }

  cached(client: OAuthCredentials): AccessToken | undefined {
    const token = this.#cached.get(keyOf(client));
    return token && token.usableUntil > performance.now() ? token : undefined;
  }

  /** A cached or new token. Concurrent deliveries share one request. */
  async get(client: OAuthCredentials, userAgent: string, owner?: number): Promise<AccessToken | Failure> {
    const known = this.cached(client);
    if (known) return known;
    const key = keyOf(client);
    const running = this.#pending.get(key);
    if (running) return running;
    const started = this.#request(client, userAgent, owner).finally(() => this.#pending.delete(key));
    this.#pending.set(key, started);
    const token = await started;
    if ('authorization' in token) this.#cached.set(key, token);
    return token;
  }

  /** Forgets a token that the receiver rejected, unless it was renewed in the meantime. */
  reject(client: OAuthCredentials, token: AccessToken): void {
    const key = keyOf(client);
    if (this.#cached.get(key) === token) this.#cached.delete(key);
  }

  async #request(client: OAuthCredentials, userAgent: string, owner?: number): Promise<AccessToken | Failure> {
    const began = performance.now();
    const outcome = await this.#post({ ...tokenRequest(client, userAgent), owner });
    const token = readOutcome(outcome, began);
    if ('authorization' in token) return token;
    const host = URL.parse(client.tokenUrl)?.host;
    return { ...token, detail: `No access token from the token server ${host}: ${token.detail}` };
  }
}

/** Includes the secret: only a client that knows it gets the token. */
const keyOf = ({ tokenUrl, clientId, clientSecret, scope, audience, authMethod }: OAuthCredentials): string =>
  JSON.stringify([tokenUrl, clientId, clientSecret, scope, audience, authMethod]);

function tokenRequest(client: OAuthCredentials, userAgent: string): TokenRequest {
  const { tokenUrl, clientId, clientSecret, scope, audience, authMethod } = client;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope && { scope }),
    ...(audience && { audience }),
    ...(authMethod === 'client_secret_post' && { client_id: clientId, client_secret: clientSecret }),
  });
  return {
    url: tokenUrl,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'user-agent': userAgent,
      ...(authMethod === 'client_secret_basic' && { authorization: basic(clientId, clientSecret) }),
    },
    body: form.toString(),
  };
}

/** RFC 6749, section 2.3.1: both parts are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  const [id, secret] = [clientId, clientSecret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

function readOutcome(outcome: HttpOutcome, began: number): AccessToken | Failure {
  if (outcome.kind === 'delivered') return readToken(outcome.response, began);
  if (outcome.kind !== 'unreachable') return failure(`it responded with ${describe(outcome.response)}.`);
  const detail = outcome.detail.replaceAll('receiver', 'token server').replaceAll('push URL', 'token URL');
  return outcome.isLocalFailure ? { ...failure(detail), isLocalFailure: true } : failure(detail);
}

const failure = (detail: string): Failure => ({ reason: 'token', detail });

function describe({ status, body }: ReceiverResponse): string {
  if (status >= 300 && status < 400) return `${status}, and redirects are not followed`;
  const error = parseJsonObject(body.toString())?.error;
  const code = typeof error === 'string' && errorCode.test(error) ? ` (${error})` : '';
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim() + code;
}

function readToken({ body, truncated }: ReceiverResponse, began: number): AccessToken | Failure {
  if (truncated) return failure('its response is longer than 16 KiB.');
  const response = parseJsonObject(body.toString());
  if (!response) return failure('its response is not a JSON object.');
  const { access_token: token, token_type: type, expires_in: lifetime = defaultLifetimeSeconds } = response;
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return failure('token_type is not Bearer.');
  if (typeof token !== 'string' || token.length > maxTokenLength || !visibleText.test(token)) {
    return failure(`access_token is not a text of 1 to ${maxTokenLength} visible ASCII characters.`);
  }
  // Some servers send the number as text.
  const seconds = typeof lifetime === 'string' && /^\d{1,15}$/.test(lifetime) ? Number(lifetime) : lifetime;
  if (typeof seconds !== 'number' || !(seconds > 0)) return failure('expires_in is not a positive number.');
  const usableSeconds = Math.max(seconds - marginSeconds, seconds * 0.75);
  return {
    authorization: `Bearer ${token}`,
    usableUntil: began + Math.min(usableSeconds, maxLifetimeSeconds) * 1000,
  };
}
