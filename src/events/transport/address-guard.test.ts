import { isIP } from 'node:net';
import { describe, expect, test } from 'vitest';
import { checkAddress, checkPushUrl, resolveTarget, type TargetPolicy } from './address-guard.ts';

const strict: TargetPolicy = { allow: [], requireHttps: true };
const lenient: TargetPolicy = { allow: [], requireHttps: false };
const development: TargetPolicy = { allow: ['127.0.0.0/8', '::1/128'], requireHttps: true };

function ruleOf(text: string, policy = lenient): string | undefined {
  const checked = checkPushUrl(text, policy);
  return checked instanceof URL ? undefined : checked.rule;
}

describe('a push URL', () => {
  test.for([
    'https://hooks.example.com/waypost',
    'https://hooks.example.com:8443/a?b=c',
    'https://EXAMPLE.com',
    'https://bücher.example/',
    'https://my_host.example.com./',
    'http://93.184.215.14/',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  ])('%s passes', (text) => {
    expect(ruleOf(text)).toBeUndefined();
  });

  test.for([
    ['ftp://example.com/', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['ws://example.com/', 'scheme'],
    ['', 'syntax'],
    ['example.com/hook', 'syntax'],
    ['https://', 'syntax'],
    ['https://exa mple.com/', 'syntax'],
    ['https://example.com/a b', 'syntax'],
    [' https://example.com/', 'syntax'],
    ['https://example.com/\n', 'syntax'],
    ['https://exam\tple.com/', 'syntax'],
    ['https:\\\\example.com\\', 'syntax'],
    ['https://256.1.1.1/', 'syntax'],
    ['https://[::1%25eth0]/', 'syntax'],
    ['https://user@example.com/', 'credentials'],
    ['https://:secret@example.com/', 'credentials'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com/#', 'fragment'],
    ['https://example.com:0/', 'port'],
    ['https://a..example.com/', 'host'],
    ['https://example.com../', 'host'],
    ['https://127.0.0.1../', 'host'],
    ['https://*.example.com/', 'host'],
    ["https://a'b.example.com/", 'host'],
    [`https://${'a'.repeat(64)}.com/`, 'host'],
    [`https://${'a.'.repeat(130)}com/`, 'host'],
    [`https://example.com/${'a'.repeat(2048)}`, 'length'],
  ])('%s is refused by the rule "%s"', ([text = '', rule]) => {
    expect(ruleOf(text)).toBe(rule);
  });

  test.for([
    'http://localhost/',
    'http://LOCALHOST./',
    'http://foo.localhost/',
    'http://ⓛocalhost/',
    'http://localhost%2e/',
    'http://%6cocalhost/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://0/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://2130706433/',
    'http://127.1./',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://[::]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:93.184.215.14]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
  ])('%s is refused for its address', (text) => {
    expect(ruleOf(text)).toBe('address');
  });

  test('is never longer than 2048 characters', () => {
    const base = 'https://example.com/';
    expect(ruleOf(base.padEnd(2048, 'a'))).toBeUndefined();
    expect(ruleOf(base.padEnd(2049, 'a'))).toBe('length');
  });

  test('must be https if required', () => {
    expect(ruleOf('http://example.com/', strict)).toBe('https');
    expect(ruleOf('http://93.184.215.14/', strict)).toBe('https');
    expect(ruleOf('https://example.com/', strict)).toBeUndefined();
  });

  test('may be http in an allowed range even if https is required', () => {
    expect(ruleOf('http://127.0.0.1:3000/', development)).toBeUndefined();
    expect(ruleOf('http://[::ffff:127.0.0.1]:3000/', development)).toBeUndefined();
    expect(ruleOf('http://localhost:3000/', development)).toBeUndefined();
    expect(ruleOf('http://93.184.215.14/', development)).toBe('https');
    expect(ruleOf('http://10.0.0.1/', development)).toBe('address');
  });

  test('is rejected with the problem and a remedy', () => {
    expect(checkPushUrl('https://10.1.2.3/', strict)).toEqual({
      rule: 'address',
      message:
        '10.1.2.3 is a private address. Use a public address. For development, allow a range with WAYPOST_ALLOW_TARGETS.',
    });
  });
});

describe('an address', () => {
  test.for([
    ['127.0.0.1', 'a loopback address'],
    ['169.254.169.254', 'a cloud metadata address'],
    ['168.63.129.16', 'a cloud metadata address'],
    ['192.0.0.192', 'a cloud metadata address'],
    ['fd20:ce::254', 'a cloud metadata address'],
    ['169.254.1.1', 'a link-local address'],
    ['100.64.0.1', 'a carrier-grade NAT address'],
    ['255.255.255.255', 'the broadcast address'],
    ['198.18.0.1', 'a reserved address'],
    ['fe80::1%eth0', 'a link-local address'],
    ['4000::1', 'a reserved address'],
    ['not an address', 'not an IP address'],
  ])('%s is refused as %s', ([address = '', kind]) => {
    expect(checkAddress(address, lenient)?.message).toContain(`is ${kind}.`);
  });

  test('in an allowed range passes, also as IPv4-mapped IPv6', () => {
    const policy: TargetPolicy = { allow: ['10.1.0.0/16'], requireHttps: true };
    expect(checkAddress('10.1.2.3', policy)).toBeUndefined();
    expect(checkAddress('::ffff:10.1.2.3', policy)).toBeUndefined();
    expect(checkAddress('10.2.2.3', policy)).toBeDefined();
  });
});

describe('resolving a target', () => {
  test('gives every address of a name', async () => {
    const found = await resolveTarget(new URL('http://localhost:3000/'), development);
    if (!('addresses' in found)) throw new Error('localhost has no address');
    expect(found.addresses).not.toHaveLength(0);
    for (const { address, family } of found.addresses) expect(isIP(address)).toBe(family);
  });

  test('gives a literal address without a look-up', async () => {
    const found = await resolveTarget(new URL('https://[2606:4700::1111]/'), strict);
    expect(found).toEqual({ addresses: [{ address: '2606:4700::1111', family: 6 }] });
  });

  test('rejects a name with a blocked address without revealing the address', async () => {
    const refusal = await resolveTarget(new URL('https://localhost/'), strict);
    expect(refusal).toMatchObject({
      rule: 'address',
      message: expect.stringMatching(/resolves to a loopback address/),
    });
    expect(JSON.stringify(refusal)).not.toMatch(/127\.0\.0\.1|::1/);
  });

  test('allows http by name only if every address is in an allowed range', async () => {
    expect(await resolveTarget(new URL('http://localhost/'), development)).toHaveProperty('addresses');
    expect(await resolveTarget(new URL('http://93.184.215.14/'), development)).toMatchObject({ rule: 'https' });
  });

  test('reports a name that does not exist', async () => {
    const found = await resolveTarget(new URL('https://nobody.invalid/'), strict);
    expect(found).toMatchObject({ unresolved: expect.stringContaining('nobody.invalid') });
  });

  test('shares one look-up among concurrent callers', async () => {
    const asked = Array.from({ length: 100 }, () => resolveTarget(new URL('http://localhost/'), development));
    const found = await Promise.all(asked);
    const lists = new Set(found.map((target) => ('addresses' in target ? target.addresses : undefined)));
    expect(lists.size).toBe(1);
  });
});
