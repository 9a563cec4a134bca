import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { lookUpName, noPublicAddress, type Unresolved } from './name-lookup.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type AddressRange = [Address, number];

const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** In this order: AWS, Google, Azure and most others; AWS IPv6; Google IPv6; Alibaba; Azure platform; Oracle; AWS ECS. */
const cloudMetadata = new Set([
  '169.254.169.254',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '169.254.170.2',
]);

const kinds: Record<string, string> = {
  unspecified: 'an unspecified address',
  broadcast: 'the broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  loopback: 'a loopback address',
  carrierGradeNat: 'a carrier-grade NAT address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  ipv4Mapped: 'an IPv4 address written as IPv6',
  rfc6145: 'an IPv4 address written as IPv6',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};

function parseAddress(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
}

/** Description of an address that is not public unicast; undefined for a public address. */
function nonPublicKind(address: Address): string | undefined {
  if (cloudMetadata.has(address.toString())) return 'a cloud metadata address';
  const range: string = address.range();
  if (range !== 'unicast') return kinds[range] ?? 'a reserved address';
  // All global unicast IPv6 addresses assigned by IANA are in 2000::/3.
  if (address instanceof ipaddr.IPv6 && !address.match(globalUnicastV6)) return 'a reserved address';
  return undefined;
}

function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  const embedded = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
  return ranges.some(
    ([network, bits]) =>
      (network.kind() === address.kind() && address.match(network, bits)) ||
      (network.kind() === embedded.kind() && embedded.match(network, bits)),
  );
}

export interface TargetPolicy {
  /** CIDR ranges that are allowed although they are not public. */
  readonly allow: readonly string[];
  readonly requireHttps: boolean;
}

export type Refusal = { rule: string; message: string };

const maxLength = 2048;
const hostName = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/;
const loopback = ['127.0.0.1', '::1'];
const allowHint = 'Use a public address. For development, allow a range with WAYPOST_ALLOW_TARGETS.';
const httpsOnly: Refusal = {
  rule: 'https',
  message:
    'The push URL must be encrypted: begin with https://, or with amqps://, tls://, kafkas:// or sqs:// for a queue.',
};

/** Checks the length and the characters of a push URL. */
export function checkText(text: string): Refusal | undefined {
  if (text.length > maxLength) {
    return { rule: 'length', message: `The push URL is longer than ${maxLength} characters. Shorten it.` };
  }
  // The URL parser would silently drop or replace these characters.
  if (/[\s\p{Cc}\\]/u.test(text)) {
    return {
      rule: 'syntax',
      message: 'The push URL contains a space, a control character or a backslash. Percent-encode it.',
    };
  }
  return undefined;
}

/** Checks a push URL without DNS. */
export function checkPushUrl(text: string, policy: TargetPolicy): URL | Refusal {
  const refusal = checkText(text);
  if (refusal) return refusal;
  const url = URL.parse(text);
  if (!url) {
    return {
      rule: 'syntax',
      message: 'The push URL is not a valid URL. Use the form https://hooks.example.com/waypost.',
    };
  }
  return checkParts(url, text) ?? checkHost(url, policy) ?? url;
}

/** Checks whether connecting to an IP address is allowed. */
export function checkAddress(address: string, policy: TargetPolicy): Refusal | undefined {
  const kind = blockedKind(address, policy);
  return kind === undefined ? undefined : { rule: 'address', message: `${address} is ${kind}. ${allowHint}` };
}

/**
 * Resolves the host of a push URL once; only the returned addresses may be connected to. A name that resolves to a
 * blocked address gives the same result as a name that does not exist.
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
    const kind = blockedKind(address, policy);
    if (kind && !family && !isLocalhost(host)) return { unresolved: noPublicAddress(host) };
    if (kind) return { rule: 'address', message: `The host ${host} resolves to ${kind}. ${allowHint}` };
  }
  if (needsHttps(url, policy) && !addresses.every(({ address }) => isAllowed(address, policy))) return httpsOnly;
  return { addresses };
}

/** The host without the brackets of an IPv6 address or the trailing dot of a name. */
export function hostOf(url: URL): string {
  const { hostname } = url;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

function checkParts(url: URL, text: string): Refusal | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { rule: 'scheme', message: `The push URL begins with ${url.protocol}//. Use https:// or http://.` };
  }
  if (url.username || url.password) {
    return {
      rule: 'credentials',
      message: 'The push URL contains a user name or password. Remove them: deliveries are authenticated by signature.',
    };
  }
  if (text.includes('#')) {
    return { rule: 'fragment', message: 'The push URL contains a fragment (#), which is not sent. Remove it.' };
  }
  if (url.port === '0') {
    return { rule: 'port', message: 'The push URL has port 0, which is not valid. Use the port of the receiver.' };
  }
  return undefined;
}

/** Checks the host of a URL without DNS. */
export function checkHost(url: URL, policy: TargetPolicy): Refusal | undefined {
  const host = hostOf(url);
  if (isIP(host)) {
    if (needsHttps(url, policy) && !isAllowed(host, policy)) return checkAddress(host, policy) ?? httpsOnly;
    return checkAddress(host, policy);
  }
  if (host.length > 253 || !hostName.test(host)) {
    return {
      rule: 'host',
      message: `${host} is not a valid host name. Use labels of letters, digits and hyphens, separated by dots.`,
    };
  }
  if (isLocalhost(host) && !loopback.some((address) => isAllowed(address, policy))) {
    return { rule: 'address', message: `${host} is the host of this service. ${allowHint}` };
  }
  // If ranges are allowed, http is decided after resolving the name.
  if (needsHttps(url, policy) && policy.allow.length === 0) return httpsOnly;
  return undefined;
}

// RFC 6761, section 6.3: these names always resolve to loopback.
function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function needsHttps(url: URL, policy: TargetPolicy): boolean {
  return policy.requireHttps && url.protocol === 'http:';
}

function blockedKind(text: string, policy: TargetPolicy): string | undefined {
  const address = parseAddress(text);
  if (!address) return 'not an IP address';
  return isWithin(address, allowedRanges(policy)) ? undefined : nonPublicKind(address);
}

/** Whether an address is in a range that the operator allows although it is not public. */
export function isAllowed(text: string, policy: TargetPolicy): boolean {
  const address = parseAddress(text);
  return address !== undefined && isWithin(address, allowedRanges(policy));
}

const parsedPolicies = new WeakMap<TargetPolicy, AddressRange[]>();

function allowedRanges(policy: TargetPolicy): AddressRange[] {
  const ranges = parsedPolicies.get(policy) ?? policy.allow.map((cidr) => ipaddr.parseCIDR(cidr));
  parsedPolicies.set(policy, ranges);
  return ranges;
}
