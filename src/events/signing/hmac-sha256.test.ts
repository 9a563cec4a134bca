import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HmacKey } from './signature.ts';

const bytes = fc.uint8Array({ maxLength: 200 }).map((given) => Buffer.from(given));

test('matches createHmac for any key and text', () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }), (key, texts) => {
      const ours = new HmacKey(key);
      for (const text of texts) {
        expect(ours.sign(text)).toBe(createHmac('sha256', key).update(text).digest('base64'));
      }
    }),
  );
});

test.each([21_824, 21_825, 65_536, 1_000_000])('matches createHmac for %i three-byte characters', (length) => {
  const key = Buffer.from('a key');
  const text = '€'.repeat(length);
  expect(new HmacKey(key).sign(text)).toBe(createHmac('sha256', key).update(text).digest('base64'));
});

test('keeps keys separate and does not expose them', () => {
  const [one, other] = [new HmacKey(Buffer.from('one')), new HmacKey(Buffer.from('other'))];
  const before = one.sign('text');
  other.sign('a longer text than before');
  expect(one.sign('text')).toBe(before);
  expect(JSON.stringify(one)).toBe('{}');
});
