import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { anyCodePoint } from '../../../test/support/any-code-point.ts';
import { newWebhookSecret } from './keys.ts';
import { deliveryBody, eventKey, HmacKey, signEvent, standardKey, standardSignature } from './signature.ts';

test('allows extracting signed text and signature for any event', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), (comment) => {
      const privateKey = randomBytes(32).toString('base64url');
      const text = JSON.stringify({ comment });
      const body = deliveryBody(text, signEvent(eventKey(privateKey), text));
      const signature = createHmac('sha256', privateKey).update(Buffer.from(text, 'utf8')).digest('base64');
      expect(body).toBe(`{"event":${text},"signature":"${signature}"}`);
      expect(JSON.parse(body)).toEqual({ event: { comment }, signature });
    }),
  );
});

test('matches the published test vector', () => {
  expect(signEvent(eventKey('key'), 'The quick brown fox jumps over the lazy dog')).toBe(
    '97yD9DBThCSxMpjmqm+xQ+9NWaFJRhdZl0edvC0aPNg=',
  );
});

test('matches the header signature of a Standard Webhooks library', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.nat(), fc.string({ unit: anyCodePoint }), (id, timestamp, body) => {
      const secret = newWebhookSecret();
      const theirs = new Webhook(secret).sign(String(id), new Date(timestamp * 1000), body);
      expect(standardSignature(standardKey(secret), String(id), timestamp, body)).toBe(theirs);
    }),
  );
});

const bytes = fc.uint8Array({ maxLength: 200 }).map((given) => Buffer.from(given));

test('matches createHmac for any key and text', () => {
  fc.assert(
    fc.property(bytes, fc.array(fc.string({ unit: anyCodePoint }), { minLength: 1, maxLength: 4 }), (key, texts) => {
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
