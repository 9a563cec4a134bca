import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = [Address, number];

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

export function parseRanges(cidrs: readonly string[]): AddressRange[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

export function parseAddress(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
}

/** Description of an address that is not public unicast; undefined for a public address. */
export function nonPublicKind(address: Address): string | undefined {
  if (cloudMetadata.has(address.toString())) return 'a cloud metadata address';
  const range: string = address.range();
  if (range !== 'unicast') return kinds[range] ?? 'a reserved address';
  // All global unicast IPv6 addresses assigned by IANA are in 2000::/3.
  if (address instanceof ipaddr.IPv6 && !address.match(globalUnicastV6)) return 'a reserved address';
  return undefined;
}

export function isWithin(address: Address, ranges: readonly AddressRange[]): boolean {
  const embedded = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
  return ranges.some(
    ([network, bits]) =>
      (network.kind() === address.kind() && address.match(network, bits)) ||
      (network.kind() === embedded.kind() && embedded.match(network, bits)),
  );
}
