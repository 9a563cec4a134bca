import ipaddr from 'ipaddr.js';

/** A household has one IPv4 address, or a whole network of IPv6 addresses: its first 64 bits. */
const householdBits = 64;

/** What visitors are counted by. */
export function neighbourhoodOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().map((byte, index) => (index < householdBits / 8 ? byte : 0));
  return ipaddr.fromByteArray(bytes).toString();
}
