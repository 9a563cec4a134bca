import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { LookupSlots } from './lookup-slots.ts';

// Two attempts of a usual resolver configuration.
const timeoutMs = 10_000;
const attemptMs = 2_500;
const attempts = 2;
/** Names of one partner that are looked up at once. */
const perOwner = 16;
const hostsFile = '/etc/hosts';

export interface Unresolved {
  unresolved: string;
  /** The name servers said nothing about the name. */
  isUnanswered?: boolean;
}

export type Found = LookupAddress[] | Unresolved;

const inFlight = new Map<string, Promise<Found>>();
const slots = new LookupSlots(perOwner);
let nameServers: readonly string[] | undefined;

/** Name servers to ask in place of those of the operating system, as `address:port`. */
export function setNameServers(servers: readonly string[] | undefined): void {
  nameServers = servers;
  checked = undefined;
}

/**
 * Looks a name up in the hosts file, then in DNS. The look-up of the operating system cannot be cancelled and holds one of
 * four threads of the process: four names whose servers do not answer would stop the look-ups of all partners.
 * `owner`: the partner who named the host; look-ups beyond its share wait.
 */
export function lookUpName(name: string, owner?: number): Promise<Found> {
  const running = inFlight.get(name);
  if (running) return running;
  const started = slots.run(owner, () => findAddresses(name)).finally(() => inFlight.delete(name));
  inFlight.set(name, started);
  return started;
}

async function findAddresses(name: string): Promise<Found> {
  const local = await localAddresses(name);
  if (local.length > 0) return local;
  const resolver = newResolver(attemptMs, attempts);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs).unref();
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(timer);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])).map(withFamily);
  if (addresses.length > 0) return addresses;
  const codes = results.flatMap((result) => (result.status === 'rejected' ? [codeOf(result.reason)] : []));
  return { unresolved: describe(name, codes), isUnanswered: !codes.some((code) => answers.has(code)) };
}

const answers = new Set(['ENOTFOUND', 'ENODATA']);

function newResolver(timeout: number, tries: number): Resolver {
  const resolver = new Resolver({ timeout, tries });
  if (nameServers) resolver.setServers(nameServers);
  return resolver;
}

const checkTimeoutMs = 2000;
const checkRememberedMs = 5000;
let checked: { at: number; isDown: Promise<boolean> } | undefined;

/** Whether the name servers say nothing about any name: then a failed look-up says nothing about the receiver. */
export function isResolverDown(): Promise<boolean> {
  const now = performance.now();
  if (!checked || now - checked.at > checkRememberedMs) checked = { at: now, isDown: asksInVain() };
  return checked.isDown;
}

/** Every recursive name server knows the root. */
async function asksInVain(): Promise<boolean> {
  try {
    await newResolver(checkTimeoutMs, 1).resolveNs('.');
    return false;
  } catch (error) {
    return !answers.has(codeOf(error as NodeJS.ErrnoException));
  }
}

/** Names that the hosts file has, and localhost, which is the machine itself everywhere (RFC 6761). */
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

/** Also said of a name inside the network of this service: partners must not find out which names exist there. */
export const noPublicAddress = (name: string) => `The name ${name} does not exist or has no address in public DNS.`;

function describe(name: string, codes: readonly string[]): string {
  if (codes.includes('ENOTFOUND') || codes.every((code) => code === 'ENODATA')) return noPublicAddress(name);
  if (codes.includes('ECANCELLED')) return `The look-up of ${name} took longer than ${timeoutMs / 1000} s.`;
  const [code] = codes.filter((known) => known !== 'ENODATA');
  return `The name servers gave no answer for ${name} (${code}).`;
}
