import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { checkAddress, checkPushUrl, type TargetPolicy } from './address-guard.ts';

const closed: TargetPolicy = { allow: [], requireHttps: false };

const forbiddenV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
];

const forbiddenV6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001::/32',
  '2001:2::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fd00:ec2::254/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** By the lists above, copied from the IANA registries. */
function isPublic(bytes: number[]): boolean {
  const address = ipaddr.fromByteArray(bytes);
  const forbidden = address.kind() === 'ipv4' ? forbiddenV4 : forbiddenV6;
  return !forbidden.some((cidr) => address.match(ipaddr.parseCIDR(cidr)));
}

function addressIn(cidr: string): fc.Arbitrary<number[]> {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  const fixed = network.toByteArray();
  return fc.uint8Array({ minLength: fixed.length, maxLength: fixed.length }).map((random) =>
    fixed.map((byte, i) => {
      const free = Math.min(8, Math.max(0, (i + 1) * 8 - bits));
      return byte | ((random[i] ?? 0) & ((1 << free) - 1));
    }),
  );
}

function numberIn(radix: 8 | 10 | 16, value: number, zeros: number): string {
  const digits = value.toString(radix);
  if (radix === 10) return digits;
  return (radix === 8 ? '0' : '0x') + '0'.repeat(zeros) + digits;
}

/** Every way in which an IPv4 address can be written in a URL: 1 to 4 numbers, each in its own base. */
function spellingOfV4(bytes: number[]): fc.Arbitrary<string> {
  const radix = fc.constantFrom<8 | 10 | 16>(8, 10, 16);
  return fc
    .record({
      parts: fc.integer({ min: 1, max: 4 }),
      radixes: fc.tuple(radix, radix, radix, radix),
      zeros: fc.integer({ min: 0, max: 3 }),
      dot: fc.constantFrom('', '.'),
      separator: fc.constantFrom('.', '。', '%2E', '．'),
      upper: fc.boolean(),
    })
    .map(({ parts, radixes, zeros, dot, separator, upper }) => {
      const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
      const numbers = [...bytes.slice(0, parts - 1), last];
      const text = numbers.map((value, i) => numberIn(radixes[i] ?? 10, value, zeros)).join(separator) + dot;
      return upper ? text.toUpperCase() : text;
    });
}

function spellingOfV6(bytes: readonly number[]): fc.Arbitrary<string> {
  const address = new ipaddr.IPv6([...bytes]);
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  const hex = groups.map((group) => group.toString(16));
  return fc
    .record({
      text: fc.constantFrom(
        address.toString(),
        address.toNormalizedString(),
        hex.map((group) => group.padStart(4, '0')).join(':'),
        `${hex.slice(0, 6).join(':')}:${bytes.slice(12).join('.')}`,
      ),
      upper: fc.boolean(),
    })
    .map(({ text, upper }) => `[${upper ? text.toUpperCase() : text}]`);
}

const hostIn = (cidr: string) =>
  addressIn(cidr).chain((bytes) => (bytes.length === 4 ? spellingOfV4(bytes) : spellingOfV6(bytes)));

/** An IPv4 address as IPv4-mapped, IPv4-compatible, NAT64 and 6to4. */
function disguised(cidr: string): fc.Arbitrary<string> {
  const zeros = (count: number): number[] => Array(count).fill(0);
  return addressIn(cidr)
    .chain((v4) =>
      fc.constantFrom(
        [...zeros(10), 0xff, 0xff, ...v4],
        [...zeros(12), ...v4],
        [0, 0x64, 0xff, 0x9b, ...zeros(8), ...v4],
        [0x20, 0x02, ...v4, ...zeros(10)],
      ),
    )
    .chain(spellingOfV6);
}

function ruleOf(host: string, policy = closed): string | undefined {
  const checked = checkPushUrl(`http://${host}/hook`, policy);
  return checked instanceof URL ? undefined : checked.rule;
}

function expectAll(hosts: fc.Arbitrary<string>, rule: string | undefined, policy = closed) {
  fc.assert(
    fc.property(hosts, (host) => {
      expect(ruleOf(host, policy)).toBe(rule);
    }),
  );
}

describe('every spelling of every address', () => {
  test.for([...forbiddenV4, ...forbiddenV6])('in %s is refused', (cidr) => {
    expectAll(hostIn(cidr), 'address');
  });

  test.for(forbiddenV4)('in %s embedded in IPv6 is refused', (cidr) => {
    expectAll(disguised(cidr), 'address');
  });

  test('of IPv6 outside 2000::/3 is refused', () => {
    const outside = addressIn('::/0').filter(([first = 0]) => first >> 5 !== 1);
    expectAll(outside.chain(spellingOfV6), 'address');
  });

  test('of public IPv4 passes', () => {
    expectAll(addressIn('0.0.0.0/0').filter(isPublic).chain(spellingOfV4), undefined);
  });

  test('of public IPv6 passes', () => {
    expectAll(addressIn('2000::/3').filter(isPublic).chain(spellingOfV6), undefined);
  });

  test.for([...forbiddenV4, ...forbiddenV6])('in %s passes if the range is allowed', (cidr) => {
    const policy = { allow: [cidr], requireHttps: true };
    expectAll(hostIn(cidr), undefined, policy);
  });

  test.for(forbiddenV4)('in allowed %s passes also as IPv4-mapped', (cidr) => {
    const policy = { allow: [cidr], requireHttps: true };
    const mapped = addressIn(cidr).chain((v4) => spellingOfV6([...Array(10).fill(0), 0xff, 0xff, ...v4]));
    expectAll(mapped, undefined, policy);
  });
});

test('gives the same result for an address in a URL and from DNS', () => {
  const any = fc.oneof(addressIn('0.0.0.0/0'), addressIn('::/0'), addressIn('2000::/3'));
  fc.assert(
    fc.property(any, (bytes) => {
      const address = ipaddr.fromByteArray(bytes).toString();
      const host = bytes.length === 4 ? address : `[${address}]`;
      expect(ruleOf(host)).toBe(checkAddress(address, closed)?.rule);
    }),
  );
});
