import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problems.ts';
import type { CallerUser } from './access.ts';
import type { RateLimits } from './rate-limits.ts';

export interface Caller {
  partnerId: number;
  partnerIdentifier: string;
  /** The version that the partner's requests have when they ask for none. */
  apiVersion: string;
  /** What its requests are counted by. */
  keyId: number;
  /** As events name it: PRIVATE_TOKEN, or the user's e-mail address. */
  by: string;
  /** Absent when a private key was given. */
  user?: CallerUser;
}

export interface KnownKey {
  caller: Caller;
  expiresAt: Date | null;
}

export type FindKey = (privateKey: string) => Promise<KnownKey | undefined>;

/** How long a key is trusted without asking the database again. */
const trustedMs = 5000;
const mostRemembered = 10_000;
const longestKey = 512;

interface Entry {
  key: Promise<KnownKey | undefined>;
  readAt: number;
  wasGood: boolean;
}

/** Keys that were found good, so that a request by a known key costs no look-up. Wrong keys are never kept. */
export class KeyMemory {
  readonly #find: FindKey;
  readonly #known = new Map<string, Entry>();

  constructor(find: FindKey) {
    this.#find = find;
  }

  /** Whether it was good when last looked up, however long ago. */
  knows(privateKey: string): boolean {
    return this.#known.get(nameOf(privateKey))?.wasGood ?? false;
  }

  /** Something has changed: every key is looked up again at its next request. */
  doubt(): void {
    for (const entry of this.#known.values()) entry.readAt = Number.NEGATIVE_INFINITY;
  }

  async callerBy(privateKey: string, now = Date.now()): Promise<Caller | undefined> {
    const name = nameOf(privateKey);
    let entry = this.#known.get(name);
    if (!entry || now - entry.readAt > trustedMs) {
      if (this.#known.size >= mostRemembered) this.#known.clear();
      entry = { key: this.#find(privateKey), readAt: now, wasGood: entry?.wasGood ?? false };
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

/**
 * Sets `request.caller` on every route that asks for a partner. Requests without a key that was good before are
 * counted by address before anything is looked up, so that guessing keys is slow and costs the database nothing.
 */
export function authenticate(server: FastifyInstance, keys: KeyMemory, limits: RateLimits): void {
  server.decorateRequest('caller', null);
  server.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (access === 'open') return;
    const privateKey = privateKeyOf(request);
    if (privateKey === undefined || !keys.knows(privateKey)) await limits.byAddress(request, reply);
    if (access !== 'partner') return;
    if (privateKey === undefined) throw new Problem('NOT_AUTHORIZED');
    const caller = privateKey.length > longestKey ? undefined : await keys.callerBy(privateKey);
    if (!caller) throw new Problem('BAD_PRIVATE_KEY');
    request.caller = caller;
    await limits.byKey(request, reply);
  });
}

function privateKeyOf({ headers }: FastifyRequest): string | undefined {
  const given = [headers.privatekey, headers['x-api-key']].flat().find((value) => value?.trim());
  return given?.trim();
}

/** Keys themselves need not lie around in memory. */
const nameOf = (privateKey: string) => hash('sha256', privateKey, 'base64url');

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Who may call: a partner with its key, or anybody, uncounted. */
    access?: 'partner' | 'open';
  }
}
