import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { type AddressRange, isWithin, nonPublicKind, parseAddress, parseRanges } from './address-ranges.ts';
import { lookUpName, noPublicAddress, type Unresolved } from './name-lookup.ts';

export interface TargetPolicy {
  /** CIDR ranges that are opened although they are not public. */
  readonly allow: readonly string[];
  readonly requireHttps: boolean;
}

export type Refusal = { rule: string; message: string };

const maxLength = 2048;
const hostName = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;
const loopback = ['127.0.0.1', '::1'];
const opening = 'Use a public address; for development, WAYPOST_ALLOW_TARGETS opens a range.';
const httpsOnly: Refusal = { rule: 'https', message: 'The push URL must begin with https://.' };

/** What can be said about a push URL without asking DNS. */
export function checkPushUrl(text: string, policy: TargetPolicy): URL | Refusal {
  if (text.length > maxLength) {
    return { rule: 'length', message: `The push URL is longer than ${maxLength} characters. Shorten it.` };
  }
  // The URL parser would silently drop or move these; what is stored shall be what was written.
  if (/[\s\p{Cc}\\]/u.test(text)) {
    return { rule: 'syntax', message: 'The push URL contains a space, a control character or a backslash. Encode it.' };
  }
  const url = URL.parse(text);
  if (!url) {
    return { rule: 'syntax', message: 'The push URL is not a URL. Write it like https://hooks.example.com/waypost.' };
  }
  return checkParts(url, text) ?? checkHost(url, policy) ?? url;
}

/** Whether an address may be connected to. */
export function checkAddress(address: string, policy: TargetPolicy): Refusal | undefined {
  const kind = guardedKind(address, policy);
  return kind === undefined ? undefined : { rule: 'address', message: `${address} is ${kind}. ${opening}` };
}

/**
 * Resolves the host of a push URL of this partner, once; only the addresses that come back may be connected to. A name that
 * leads to a guarded address gets the result of a name that does not exist.
 */
export async function resolveTarget(
  url: URL,
  policy: TargetPolicy,
  owner?: number,
): Promise<{ addresses: LookupAddress[] } | Refusal | Unresolved> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family ? [{ address: host, family }] : await lookUpName(host, owner);
  if ('unresolved' in addresses) return addresses;
  for (const { address } of addresses) {
    const kind = guardedKind(address, policy);
    if (kind && !family && !isLocalhost(host)) return { unresolved: noPublicAddress(host) };
    if (kind) return { rule: 'address', message: `The host ${host} leads to ${kind}. ${opening}` };
  }
  if (needsHttps(url, policy) && !addresses.every(({ address }) => isOpened(address, policy))) return httpsOnly;
  return { addresses };
}

/** The host as the network knows it: an IPv6 address without its brackets, a name without its closing dot. */
export function hostOf(url: URL): string {
  const { hostname } = url;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

function checkParts(url: URL, text: string): Refusal | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { rule: 'scheme', message: `The push URL begins with ${url.protocol}//. Only https:// and http:// work.` };
  }
  if (url.username || url.password) {
    return {
      rule: 'credentials',
      message: 'The push URL contains a user name or password. Remove them; deliveries are authenticated by signature.',
    };
  }
  if (text.includes('#')) {
    return { rule: 'fragment', message: 'The push URL contains a # part, which is never sent. Remove it.' };
  }
  if (url.port === '0') {
    return { rule: 'port', message: 'The push URL names port 0, which does not exist. Name the port that listens.' };
  }
  return undefined;
}

function checkHost(url: URL, policy: TargetPolicy): Refusal | undefined {
  const host = hostOf(url);
  if (isIP(host)) {
    if (needsHttps(url, policy) && !isOpened(host, policy)) return checkAddress(host, policy) ?? httpsOnly;
    return checkAddress(host, policy);
  }
  if (host.length > 253 || !hostName.test(host)) {
    return {
      rule: 'host',
      message: `${host} is not a host name. It has letters, digits and hyphens between its dots.`,
    };
  }
  if (isLocalhost(host) && !loopback.some((address) => isOpened(address, policy))) {
    return { rule: 'address', message: `${host} means the machine this service runs on. ${opening}` };
  }
  // A name may still lead into an opened range; without any there is nothing to wait for.
  if (needsHttps(url, policy) && policy.allow.length === 0) return httpsOnly;
  return undefined;
}

// RFC 6761, section 6.3: whatever a resolver says, these names mean the machine itself.
function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function needsHttps(url: URL, policy: TargetPolicy): boolean {
  return policy.requireHttps && url.protocol === 'http:';
}

function guardedKind(text: string, policy: TargetPolicy): string | undefined {
  const address = parseAddress(text);
  if (!address) return 'not an IP address';
  return isWithin(address, openedRanges(policy)) ? undefined : nonPublicKind(address);
}

function isOpened(text: string, policy: TargetPolicy): boolean {
  const address = parseAddress(text);
  return address !== undefined && isWithin(address, openedRanges(policy));
}

const parsedPolicies = new WeakMap<TargetPolicy, AddressRange[]>();

function openedRanges(policy: TargetPolicy): AddressRange[] {
  let ranges = parsedPolicies.get(policy);
  if (!ranges) {
    ranges = parseRanges(policy.allow);
    parsedPolicies.set(policy, ranges);
  }
  return ranges;
}
