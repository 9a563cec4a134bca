import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { notFound, Problem } from '../problems.ts';
import type { CallerUser } from './access.ts';
import type { RateLimits } from './rate-limits.ts';
import { clearSessionCookie, cookieTokenOf } from './session-cookie.ts';

export interface Caller {
  partnerId: number;
  partnerIdentifier: string;
  /** The partner of the key, if it reads the records of a child partner. */
  keyPartnerId?: number;
  /** Default version for requests without a version. */
  apiVersion: string;
  /** The features of all product plans of the partner, such as COLLECTIONS. */
  planFeatures: readonly string[];
  /** Whether the partner has child partners. */
  hasChildren?: boolean;
  /** The rate limit key: the private key, or the user across all sessions. */
  countedAs: string;
  /** The actor in events: PRIVATE_TOKEN, PUBLIC_KEY (a website visitor) or the e-mail address of the user. */
  by: string;
  /** Absent for requests with a key. */
  user?: CallerUser;
}

export interface KnownKey {
  caller: Caller;
  expiresAt: Date | null;
}

export type FindKey = (key: string) => Promise<KnownKey | undefined>;

/** How long a cached key or token is valid without a database lookup. */
const ttlMs = 5000;
const maxEntries = 10_000;
const maxKeyLength = 512;

interface Entry {
  key: Promise<KnownKey | undefined>;
  readAt: number;
  wasValid: boolean;
}

/** Caches valid keys or access tokens to avoid a lookup per request. Invalid ones are not cached. */
export class KeyCache {
  readonly #find: FindKey;
  readonly #known = new LRUCache<string, Entry>({ max: maxEntries });

  constructor(find: FindKey) {
    this.#find = find;
  }

  /** Whether the key was valid at its last lookup. */
  knows(key: string): boolean {
    return this.#known.get(nameOf(key))?.wasValid ?? false;
  }

  /** Forces a lookup of every key at its next request. */
  invalidate(): void {
    for (const entry of this.#known.values()) entry.readAt = Number.NEGATIVE_INFINITY;
  }

  async callerBy(key: string, now = Date.now()): Promise<Caller | undefined> {
    if (key.length > maxKeyLength) return undefined;
    const name = nameOf(key);
    let entry = this.#known.get(name);
    if (!entry || now - entry.readAt > ttlMs) {
      entry = { key: this.#find(key), readAt: now, wasValid: entry?.wasValid ?? false };
      this.#known.set(name, entry);
    }
    try {
      const known = await entry.key;
      const isValid = known !== undefined && (known.expiresAt === null || known.expiresAt.getTime() > now);
      if (!isValid) this.#drop(name, entry);
      entry.wasValid = isValid;
      return isValid ? known.caller : undefined;
    } catch (error) {
      this.#drop(name, entry);
      throw error;
    }
  }

  #drop(name: string, entry: Entry): void {
    if (this.#known.get(name) === entry) this.#known.delete(name);
  }
}

interface KeyCaches {
  keys: KeyCache;
  sessions: KeyCache;
  publicKeys: KeyCache;
  /** Partners by the public key of one of their store finders. */
  storeKeys: KeyCache;
}

/**
 * Sets `request.caller`. Requests without a known key or token are rate limited by address before the lookup, so that
 * guessing keys puts no load on the database.
 */
export function authenticate(server: FastifyInstance, caches: KeyCaches, limits: RateLimits): void {
  server.decorateRequest('caller', null);
  server.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (access === 'probe') return;
    if (access === 'open') return limits.byConsoleAddress(request, reply);
    if (access === 'public') {
      // All visitors share the public key, so the limit applies to the address.
      await limits.byAddress(request, reply);
      request.caller = await visitedPartner(request, caches);
      return;
    }
    if (access !== 'partner') return limits.byAddress(request, reply);
    const credential = credentialOf(request, caches);
    if (!credential?.cache.knows(credential.text)) await limits.byAddress(request, reply);
    if (!credential) throw new Problem('NOT_AUTHORIZED');
    const caller = await credential.cache.callerBy(credential.text);
    if (!caller) {
      if (credential.isCookie) clearSessionCookie(request);
      throw new Problem(credential.problem);
    }
    request.caller = caller;
    await limits.byKey(request, reply);
  });
}

/** Precedence: access token (the narrower permission), private key, session cookie (sent by the browser unasked). */
function credentialOf(request: FastifyRequest, { keys, sessions }: KeyCaches) {
  const token = headerTokenOf(request);
  if (token !== undefined)
    return { text: token, cache: sessions, problem: 'BAD_ACCESS_TOKEN', isCookie: false } as const;
  const key = privateKeyOf(request);
  if (key !== undefined) return { text: key, cache: keys, problem: 'BAD_PRIVATE_KEY', isCookie: false } as const;
  const cookie = cookieTokenOf(request);
  if (cookie !== undefined)
    return { text: cookie, cache: sessions, problem: 'BAD_ACCESS_TOKEN', isCookie: true } as const;
  return undefined;
}

async function visitedPartner(request: FastifyRequest, { publicKeys, storeKeys }: KeyCaches): Promise<Caller> {
  const key = publicKeyOf(request);
  const { storeKey } = request.params as { storeKey?: string };
  if (key === undefined && storeKey !== undefined) {
    const owner = await storeKeys.callerBy(storeKey);
    if (!owner) throw notFound(`store finder ${storeKey}`);
    return owner;
  }
  if (key === undefined) throw new Problem('NOT_AUTHORIZED', { message: needsPublicKey });
  const caller = await publicKeys.callerBy(key);
  if (!caller) throw new Problem('BAD_PUBLIC_KEY');
  return caller;
}

const needsPublicKey =
  'A public key is required. Send the public key of a sales partner as "publicKey" in the query or in a header.';

function publicKeyOf({ headers, query }: FastifyRequest): string | undefined {
  const { publicKey } = query as { publicKey?: string | string[] };
  return firstGiven(headers.publickey, publicKey);
}

export function privateKeyOf({ headers }: FastifyRequest): string | undefined {
  return firstGiven(headers.privatekey, headers['x-api-key']);
}

/** The session token of a request, from a header or the cookie. */
export const accessTokenOf = (request: FastifyRequest): string | undefined =>
  headerTokenOf(request) ?? cookieTokenOf(request);

function headerTokenOf({ headers }: FastifyRequest): string | undefined {
  return firstGiven(headers.accesstoken, /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]);
}

const firstGiven = (...values: (string | string[] | undefined)[]) =>
  values
    .flat()
    .find((value) => value?.trim())
    ?.trim();

/** The cache holds hashes, not keys. */
const nameOf = (key: string) => hash('sha256', key, 'base64url');

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /**
     * `partner`: private key or user. `public`: public key. `open`: console files, with a separate rate limit by address.
     * `probe`: health checks, no rate limit. Undefined: anonymous, with the rate limit by address.
     */
    access?: 'partner' | 'public' | 'open' | 'probe';
  }
}
