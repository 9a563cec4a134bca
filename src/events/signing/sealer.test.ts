import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../../test/support/any-code-point.ts';
import { Sealer, UnknownMasterKey } from './sealer.ts';
import { publicKeyOf, signingKey } from './signature.ts';
import { openWebhookSecret, resealWebhookSecret } from './webhook-credentials.ts';

const masterKey = randomBytes(32);
const sealer = new Sealer(masterKey);
const newKey = randomBytes(32);
/** After a rotation from `masterKey` to `newKey`. */
const rotated = new Sealer(newKey, { others: [masterKey], unmarked: sealer.current.fingerprint });

test('opens a sealed text with the same master key', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), (text) => {
      expect(new Sealer(Buffer.from(masterKey)).open(sealer.seal(text))).toBe(Buffer.from(text).toString());
      expect(rotated.open(rotated.seal(text))).toBe(Buffer.from(text).toString());
    }),
  );
});

test('does not open with another master key', () => {
  const other = new Sealer(randomBytes(32));
  expect(() => other.open(sealer.seal('secret'))).toThrow();
  expect(other.current.fingerprint).not.toBe(sealer.current.fingerprint);
});

test.each([
  ['without a mark', sealer],
  ['with a mark', rotated],
])('does not open after a changed bit: %s', (_, each) => {
  const sealed = each.seal('secret');
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.nat(7), (byte, bit) => {
      const changed = Buffer.from(sealed);
      changed[byte] = (changed[byte] as number) ^ (1 << bit);
      expect(() => each.open(changed)).toThrow();
    }),
  );
});

test('does not reveal the text or equal texts', () => {
  const [one, two] = [sealer.seal('secret'), sealer.seal('secret')];
  expect(one.equals(two)).toBe(false);
  expect(one.includes('secret')).toBe(false);
});

describe('several keys', () => {
  test('opens values of every known key, with and without a mark', () => {
    const third = new Sealer(randomBytes(32), { others: [newKey, masterKey], unmarked: sealer.current.fingerprint });
    expect([sealer, rotated, third].map((each) => third.open(each.seal('secret')))).toEqual(Array(3).fill('secret'));
  });

  test('a process that still seals with the former key opens values of the new one', () => {
    const waiting = new Sealer(masterKey, { others: [newKey] });
    expect(waiting.open(rotated.seal('secret'))).toBe('secret');
    expect(rotated.open(waiting.seal('secret'))).toBe('secret');
  });

  test('names the missing key', () => {
    const withoutFormer = new Sealer(newKey, { unmarked: sealer.current.fingerprint });
    expect(() => withoutFormer.open(sealer.seal('secret'))).toThrow(new UnknownMasterKey(sealer.current.fingerprint));
    expect(() => sealer.open(rotated.seal('secret'))).toThrow(rotated.current.fingerprint);
  });

  test('opens a value without a mark that starts like a mark', () => {
    const nonce = Buffer.concat([Buffer.from('wmk1'), randomBytes(8)]);
    const cipher = createCipheriv('aes-256-gcm', masterKey, nonce);
    const text = Buffer.concat([cipher.update('secret'), cipher.final()]);
    expect(rotated.open(Buffer.concat([nonce, cipher.getAuthTag(), text]))).toBe('secret');
  });

  test('recognizes digests of every known key', () => {
    expect(rotated.matchesDigest('text', sealer.digest('text'))).toBe(true);
    expect(rotated.matchesDigest('text', rotated.digest('text'))).toBe(true);
    expect(rotated.matchesDigest('other', sealer.digest('text'))).toBe(false);
    expect(sealer.matchesDigest('text', rotated.digest('text'))).toBe(false);
  });
});

describe('webhook secrets', () => {
  /** Sealed by release 0.1.0, with its public key. */
  const first = Buffer.alloc(32, 7);
  const sealed = Buffer.from('Wq4mxeY7cKh7bleujbmzpnJeU5t8NoVdS4YsPYO7K88uqb1X6YGYV9sx', 'base64');
  const publicKey = 'qd22BJqKV4-iFuK3-5nitOpJGOTlMD5-9bl-RDIddsU';
  const publicKeyIn = (each: Sealer, value: Buffer) => publicKeyOf(signingKey(openWebhookSecret(each, value).seed)).x;

  test('opens values of earlier releases', () => {
    const before = new Sealer(first);
    expect(before.current.fingerprint).toBe('b3bbf3ce02ff32fa');
    expect(openWebhookSecret(before, sealed).secret).toBe('whsec_c2VjcmV0');
    expect(publicKeyIn(before, sealed)).toBe(publicKey);
  });

  test('keeps the Ed25519 key in rotations of the master key', () => {
    const unmarked = 'b3bbf3ce02ff32fa';
    const second = new Sealer(newKey, { others: [first], unmarked });
    const resealed = resealWebhookSecret(second, sealed);
    const third = new Sealer(randomBytes(32), { others: [newKey], unmarked });
    const again = resealWebhookSecret(third, resealed);
    expect([publicKeyIn(second, sealed), publicKeyIn(second, resealed), publicKeyIn(third, again)]).toEqual(
      Array(3).fill(publicKey),
    );
    expect(openWebhookSecret(third, again).secret).toBe('whsec_c2VjcmV0');
  });
});
