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
  '192.88.99.0/24',
  '192.168.0.0/16',
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
  '2001::/32',
  '2001:2::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fd00:ec2::254/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

// Written down from the IANA registries, not taken from the code under test.
const publicV4 = ['1.0.0.0/8', '8.8.8.0/24', '23.0.0.0/8', '93.184.215.0/24', '151.101.0.0/16', '203.0.114.0/24'];
const publicV6 = ['2003::/16', '2400::/12', '2600::/12', '2606:4700::/32', '2a00::/12', '2c0f::/16'];

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

function spellingOfV6(bytes: number[]): fc.Arbitrary<string> {
  const address = new ipaddr.IPv6(bytes);
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  const leading = groups.slice(0, 6).map((group) => group.toString(16));
  return fc
    .record({
      text: fc.constantFrom(
        address.toString(),
        address.toNormalizedString(),
        address.toFixedLengthString(),
        `${leading.join(':')}:${bytes.slice(12).join('.')}`,
      ),
      upper: fc.boolean(),
    })
    .map(({ text, upper }) => `[${upper ? text.toUpperCase() : text}]`);
}

const hostIn = (cidr: string) =>
  addressIn(cidr).chain((bytes) => (bytes.length === 4 ? spellingOfV4(bytes) : spellingOfV6(bytes)));

const disguised = (cidr: string) =>
  addressIn(cidr).chain((v4) =>
    fc
      .constantFrom(
        [...Array(10).fill(0), 0xff, 0xff, ...v4],
        [...Array(12).fill(0), ...v4],
        [0, 0x64, 0xff, 0x9b, ...Array(8).fill(0), ...v4],
        [0x20, 0x02, ...v4, ...Array(10).fill(0)],
      )
      .chain(spellingOfV6),
  );

function ruleOf(host: string, policy = closed): string | undefined {
  const checked = checkPushUrl(`http://${host}/hook`, policy);
  return checked instanceof URL ? undefined : checked.rule;
}

describe('every spelling of every address', () => {
  test.for([...forbiddenV4, ...forbiddenV6])('in %s is refused', (cidr) => {
    fc.assert(fc.property(hostIn(cidr), (host) => expect(ruleOf(host)).toBe('address')));
  });

  test.for(forbiddenV4)('in %s dressed up as IPv6 is refused', (cidr) => {
    fc.assert(fc.property(disguised(cidr), (host) => expect(ruleOf(host)).toBe('address')));
  });

  test('of IPv6 outside 2000::/3 is refused', () => {
    const outside = addressIn('::/0').filter(([first = 0]) => first >> 5 !== 1);
    fc.assert(fc.property(outside.chain(spellingOfV6), (host) => expect(ruleOf(host)).toBe('address')));
  });

  test.for([...publicV4, ...publicV6])('in public %s passes', (cidr) => {
    fc.assert(fc.property(hostIn(cidr), (host) => expect(ruleOf(host)).toBeUndefined()));
  });

  test.for([...forbiddenV4, ...forbiddenV6])('in %s passes once the range is opened', (cidr) => {
    const policy: TargetPolicy = { allow: [cidr], requireHttps: true };
    fc.assert(fc.property(hostIn(cidr), (host) => expect(ruleOf(host, policy)).toBeUndefined()));
  });

  test.for(forbiddenV4)('in opened %s passes as IPv4-mapped too', (cidr) => {
    const policy: TargetPolicy = { allow: [cidr], requireHttps: true };
    const mapped = addressIn(cidr).chain((v4) => spellingOfV6([...Array(10).fill(0), 0xff, 0xff, ...v4]));
    fc.assert(fc.property(mapped, (host) => expect(ruleOf(host, policy)).toBeUndefined()));
  });
});

test('an address is judged alike in a URL and from DNS', () => {
  const any = fc.oneof(addressIn('0.0.0.0/0'), addressIn('::/0'), addressIn('2000::/3'));
  fc.assert(
    fc.property(any, (bytes) => {
      const address = ipaddr.fromByteArray(bytes).toString();
      const host = bytes.length === 4 ? address : `[${address}]`;
      expect(ruleOf(host)).toBe(checkAddress(address, closed)?.rule);
    }),
  );
});
