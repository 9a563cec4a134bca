import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCodePoint } from '../../../test/support/any-code-point.ts';
import { Sealer } from './sealer.ts';

const masterKey = randomBytes(32);
const sealer = new Sealer(masterKey);

test('opens a sealed text with the same master key', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), (text) => {
      expect(new Sealer(Buffer.from(masterKey)).open(sealer.seal(text))).toBe(Buffer.from(text).toString());
    }),
  );
});

test('does not open with another master key', () => {
  const other = new Sealer(randomBytes(32));
  expect(() => other.open(sealer.seal('secret'))).toThrow();
  expect(other.fingerprint).not.toBe(sealer.fingerprint);
});

test('does not open after a changed bit', () => {
  const sealed = sealer.seal('secret');
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.nat(7), (byte, bit) => {
      const changed = Buffer.from(sealed);
      changed[byte] = (changed[byte] as number) ^ (1 << bit);
      expect(() => sealer.open(changed)).toThrow();
    }),
  );
});

test('does not reveal the text or equal texts', () => {
  const [one, two] = [sealer.seal('secret'), sealer.seal('secret')];
  expect(one.equals(two)).toBe(false);
  expect(one.includes('secret')).toBe(false);
});
