import ipaddr from 'ipaddr.js';

/** A client has one IPv4 address, but a whole IPv6 network: the first 64 bits. */
const networkBits = 64;

/** The rate limit key of requests without an API key: an IPv4 address or an IPv6 network. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().map((byte, index) => (index < networkBits / 8 ? byte : 0));
  return ipaddr.fromByteArray(bytes).toString();
}
