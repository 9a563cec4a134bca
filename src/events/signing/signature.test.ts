import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newPrivateKey, newWebhookSecret } from './keys.ts';
import { deliveryBody, eventKey, signEvent, standardKey, standardSignature } from './signature.ts';

test('allows extracting signed text and signature for any event', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (comment) => {
      const privateKey = newPrivateKey();
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
    fc.property(fc.integer({ min: 1 }), fc.nat(), fc.string({ unit: 'binary' }), (id, timestamp, body) => {
      const secret = newWebhookSecret();
      const theirs = new Webhook(secret).sign(String(id), new Date(timestamp * 1000), body);
      expect(standardSignature(standardKey(secret), String(id), timestamp, body)).toBe(theirs);
    }),
  );
});
