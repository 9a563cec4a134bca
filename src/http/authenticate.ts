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
  /** The version that the partner's requests have when they ask for none. */
  apiVersion: string;
  /** What the partner's product plans have between them, such as COLLECTIONS. */
  planFeatures: readonly string[];
  /** Whether there are partners below it. */
  hasChildren?: boolean;
  /** What its requests are counted by: the key, or the user whichever of his sessions he uses. */
  countedAs: string;
  /** As events name it: PRIVATE_TOKEN, or the user's e-mail address. PUBLIC_KEY stands for somebody on a web page. */
  by: string;
  /** Absent when a key was given. */
  user?: CallerUser;
}

export interface KnownKey {
  caller: Caller;
  expiresAt: Date | null;
}

export type FindKey = (key: string) => Promise<KnownKey | undefined>;

/** How long a key or token is trusted without asking the database again. */
const trustedMs = 5000;
const mostRemembered = 10_000;
const longestKey = 512;

interface Entry {
  key: Promise<KnownKey | undefined>;
  readAt: number;
  wasGood: boolean;
}

/**
 * Keys or access tokens that were found good, so that a request by a known one costs no look-up. Wrong ones are never
 * kept.
 */
export class KeyCache {
  readonly #find: FindKey;
  readonly #known = new LRUCache<string, Entry>({ max: mostRemembered });

  constructor(find: FindKey) {
    this.#find = find;
  }

  /** Whether it was good when last looked up, however long ago. */
  knows(key: string): boolean {
    return this.#known.get(nameOf(key))?.wasGood ?? false;
  }

  /** Something has changed: every key is looked up again at its next request. */
  doubt(): void {
    for (const entry of this.#known.values()) entry.readAt = Number.NEGATIVE_INFINITY;
  }

  async callerBy(key: string, now = Date.now()): Promise<Caller | undefined> {
    if (key.length > longestKey) return undefined;
    const name = nameOf(key);
    let entry = this.#known.get(name);
    if (!entry || now - entry.readAt > trustedMs) {
      entry = { key: this.#find(key), readAt: now, wasGood: entry?.wasGood ?? false };
      this.#known.set(name, entry);
    }
    try {
      const known = await entry.key;
      const isGood = known !== undefined && (known.expiresAt === null || known.expiresAt.getTime() > now);
      if (!isGood) this.#drop(name, entry);
      entry.wasGood = isGood;
      return isGood ? known.caller : undefined;
    } catch (error) {
      this.#drop(name, entry);
      throw error;
    }
  }

  #drop(name: string, entry: Entry): void {
    if (this.#known.get(name) === entry) this.#known.delete(name);
  }
}

interface Memories {
  keys: KeyCache;
  sessions: KeyCache;
  publicKeys: KeyCache;
  /** Partners by the key of one of their store finders, which is public as well. */
  storeKeys: KeyCache;
}

/**
 * Sets `request.caller` on every route that asks for a partner. Requests without a key or token that was good before
 * are counted by address before anything is looked up, so that guessing is slow and costs the database nothing.
 */
export function authenticate(server: FastifyInstance, memories: Memories, limits: RateLimits): void {
  server.decorateRequest('caller', null);
  server.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (access === 'probe') return;
    if (access === 'open') return limits.byConsoleAddress(request, reply);
    if (access === 'public') {
      // Everybody who opens a web page uses the same key: the visitors are counted, not the key.
      await limits.byAddress(request, reply);
      request.caller = await visitedPartner(request, memories);
      return;
    }
    if (access !== 'partner') return limits.byAddress(request, reply);
    const given = credentialOf(request, memories);
    if (!given?.memory.knows(given.text)) await limits.byAddress(request, reply);
    if (!given) throw new Problem('NOT_AUTHORIZED');
    const caller = await given.memory.callerBy(given.text);
    if (!caller) {
      if (given.isKept) clearSessionCookie(request);
      throw new Problem(given.whenBad);
    }
    request.caller = caller;
    await limits.byKey(request, reply);
  });
}

/**
 * Whoever sends both a token and a key acts as the user: the narrower right holds, and the key is not looked at. The
 * cookie of a browser counts where neither is given, for programs do not choose what it sends along.
 */
function credentialOf(request: FastifyRequest, { keys, sessions }: Memories) {
  const token = headerTokenOf(request);
  if (token !== undefined)
    return { text: token, memory: sessions, whenBad: 'BAD_ACCESS_TOKEN', isKept: false } as const;
  const key = privateKeyOf(request);
  if (key !== undefined) return { text: key, memory: keys, whenBad: 'BAD_PRIVATE_KEY', isKept: false } as const;
  const kept = cookieTokenOf(request);
  if (kept !== undefined) return { text: kept, memory: sessions, whenBad: 'BAD_ACCESS_TOKEN', isKept: true } as const;
  return undefined;
}

async function visitedPartner(request: FastifyRequest, { publicKeys, storeKeys }: Memories): Promise<Caller> {
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
  'This call needs the public key of a sales partner: send it as "publicKey" in the query or as a header.';

function publicKeyOf({ headers, query }: FastifyRequest): string | undefined {
  const { publicKey } = query as { publicKey?: string | string[] };
  return firstGiven(headers.publickey, publicKey);
}

export function privateKeyOf({ headers }: FastifyRequest): string | undefined {
  return firstGiven(headers.privatekey, headers['x-api-key']);
}

/** The token of the session that a request belongs to. */
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

/** Keys themselves need not lie around in memory. */
const nameOf = (key: string) => hash('sha256', key, 'base64url');

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /**
     * Who may call: a partner or its user; a web page with the partner's public key; anybody who opens the console, counted
     * by address with a limit of its own; or a health probe, uncounted. Without it anybody, counted by address.
     */
    access?: 'partner' | 'public' | 'open' | 'probe';
  }
}
