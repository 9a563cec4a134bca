import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Limits work per owner; waiting work runs in order. Work without an owner is not limited. */
class KeyedSemaphore {
  readonly #limit: number;
  /** By owner: free slots, and waiting work. */
  readonly #owners = new Map<number, { free: number; waiting: (() => void)[] }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(owner: number | undefined, work: () => Promise<T>): Promise<T> {
    if (owner === undefined) return work();
    const slots = this.#owners.get(owner) ?? { free: this.#limit, waiting: [] };
    this.#owners.set(owner, slots);
    if (slots.free > 0) slots.free -= 1;
    else await new Promise<void>((resolve) => slots.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = slots.waiting.shift();
      if (next) next();
      else slots.free += 1;
      if (slots.free === this.#limit) this.#owners.delete(owner);
    }
  }
}

// As in a typical resolver configuration: two attempts.
const timeoutMs = 10_000;
const attemptMs = 2_500;
const attempts = 2;
/** Once one family has addresses, the other gets this long (RFC 8305, section 3): some name servers ignore AAAA queries. */
const otherFamilyMs = 300;
/** Concurrent look-ups per partner. */
const perOwner = 16;
const hostsFile = '/etc/hosts';

export interface Unresolved {
  unresolved: string;
  /** The name servers failed or timed out, instead of reporting that the name does not exist. */
  isServerFailure?: boolean;
  /** The name servers responded, but refused the query. */
  isRefused?: boolean;
}

type LookupResult = LookupAddress[] | Unresolved;

/** By name, for all partners. */
const inFlight = new Map<string, Promise<LookupResult>>();
/** By partner and name, also look-ups that wait for others of the partner. */
const requested = new Map<string, Promise<LookupResult>>();
const lookupSemaphore = new KeyedSemaphore(perOwner);
let nameServers: readonly string[] | undefined;

/** Overrides the name servers of the operating system, for tests; `address:port`. */
export function setNameServers(servers: readonly string[] | undefined): void {
  nameServers = servers;
  checked = undefined;
}

/**
 * Looks up a name in the hosts file, then in DNS. `dns.lookup` is not used: it cannot be cancelled and runs on the four
 * libuv threads, so four hanging names would block all partners. `owner` is the partner whose look-ups are limited.
 */
export function lookUpName(name: string, owner?: number): Promise<LookupResult> {
  const key = `${owner} ${name}`;
  const known = inFlight.get(name) ?? requested.get(key);
  if (known) return known;
  const result = lookupSemaphore.run(owner, () => sharedLookup(name)).finally(() => requested.delete(key));
  requested.set(key, result);
  return result;
}

/** Only a running look-up is shared with other partners: a waiting one would delay them. */
function sharedLookup(name: string): Promise<LookupResult> {
  const running = inFlight.get(name);
  if (running) return running;
  const started = findAddresses(name).finally(() => inFlight.delete(name));
  inFlight.set(name, started);
  return started;
}

async function findAddresses(name: string): Promise<LookupResult> {
  const local = await localAddresses(name);
  if (local.length > 0) return local;
  const resolver = newResolver(attemptMs, attempts);
  let timer = setTimeout(() => resolver.cancel(), timeoutMs).unref();
  const hurry = <T>(found: T): T => {
    clearTimeout(timer);
    timer = setTimeout(() => resolver.cancel(), otherFamilyMs).unref();
    return found;
  };
  const results = await Promise.allSettled([resolver.resolve4(name).then(hurry), resolver.resolve6(name).then(hurry)]);
  clearTimeout(timer);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])).map(withFamily);
  if (addresses.length > 0) return addresses;
  const codes = results.flatMap((result) => (result.status === 'rejected' ? [codeOf(result.reason)] : []));
  return {
    unresolved: describe(name, codes),
    isServerFailure: !codes.some((code) => definitiveCodes.has(code)),
    isRefused: codes.every((code) => refusalCodes.has(code)),
  };
}

const definitiveCodes = new Set(['ENOTFOUND', 'ENODATA']);
const refusalCodes = new Set(['EREFUSED', 'ENOTIMP', 'EFORMERR']);

function newResolver(timeout: number, tries: number): Resolver {
  const resolver = new Resolver({ timeout, tries });
  if (nameServers) resolver.setServers(nameServers);
  return resolver;
}

const checkTimeoutMs = 2000;
const checkCacheMs = 5000;
let checked: { at: number; state: Promise<ResolverState> } | undefined;

type ResolverState = 'working' | 'refusing' | 'down';

/**
 * Whether the name servers fail for every name; then a failed look-up is not the receiver's fault. Some refuse queries
 * for the root but work otherwise: if the look-up itself was not refused, they are not down.
 */
export async function isResolverDown({ isRefused = false }: Pick<Unresolved, 'isRefused'> = {}): Promise<boolean> {
  const now = performance.now();
  if (!checked || now - checked.at > checkCacheMs) checked = { at: now, state: queryRoot() };
  const state = await checked.state;
  return state === 'down' || (state === 'refusing' && isRefused);
}

/** Every working recursive name server resolves the root zone. */
async function queryRoot(): Promise<ResolverState> {
  try {
    await newResolver(checkTimeoutMs, 1).resolveNs('.');
    return 'working';
  } catch (error) {
    const code = codeOf(error as NodeJS.ErrnoException);
    if (definitiveCodes.has(code)) return 'working';
    return refusalCodes.has(code) ? 'refusing' : 'down';
  }
}

/** Names of the hosts file, and localhost (RFC 6761). */
async function localAddresses(name: string): Promise<LookupAddress[]> {
  const lines = (await readFile(hostsFile, 'utf8').catch(() => '')).split('\n');
  const found = lines.flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) > 0 && names.some((known) => known.toLowerCase() === name) ? [address] : [];
  });
  if (found.length === 0 && /(^|\.)localhost$/.test(name)) found.push('127.0.0.1', '::1');
  return [...new Set(found)].map(withFamily);
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) });

const codeOf = (error: NodeJS.ErrnoException) => error.code ?? error.message;

/** Also used for names of the internal network, so that partners cannot probe which names exist there. */
export const noPublicAddress = (name: string) => `The name ${name} does not exist or has no address in public DNS.`;

function describe(name: string, codes: readonly string[]): string {
  if (codes.includes('ENOTFOUND') || codes.every((code) => code === 'ENODATA')) return noPublicAddress(name);
  if (codes.includes('ECANCELLED')) return `The DNS look-up of ${name} took longer than ${timeoutMs / 1000} s.`;
  const [code] = codes.filter((known) => known !== 'ENODATA');
  return `The DNS look-up of ${name} failed (${code}).`;
}
