import ipaddr from 'ipaddr.js';

/** A household or a server has one IPv4 address, but a whole network of IPv6 addresses: their first 64 bits. */
const networkBits = 64;

/** The address that requests without a key are counted by: an IPv4 address, or an IPv6 network. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().map((byte, index) => (index < networkBits / 8 ? byte : 0));
  return ipaddr.fromByteArray(bytes).toString();
}
