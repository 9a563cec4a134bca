import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newWebhookSecret } from '../signing/keys.ts';
import { eventKey, standardKey } from '../signing/signature.ts';
import { targetQueue } from '../transport/queues/queue-url.ts';
import { signedRequest, type Target } from './target.ts';

const overlapEnds = new Date();
const before = new Date(overlapEnds.getTime() - 1);
const [secret, previous] = [newWebhookSecret(), newWebhookSecret()];
const target: Target = {
  webhookId: 7,
  partnerId: 1,
  revision: 1,
  url: 'https://receiver.example/hook',
  origin: 'https://receiver.example',
  retrySchedule: null,
  privateKeys: [
    { id: 1, key: eventKey('old key'), expiresAt: overlapEnds },
    { id: 2, key: eventKey('new key'), expiresAt: null },
  ],
  secret: { standard: standardKey(secret), asymmetric: undefined },
  previousSecret: { keys: { standard: standardKey(previous), asymmetric: undefined }, expiresAt: overlapEnds },
  headers: {},
  oauth: undefined,
  identity: undefined,
  maxPerSecond: null,
  timeoutMs: undefined,
  ordered: false,
  health: { window: 8, consecutiveFailures: 0, failingSince: null, trips: 0, openUntil: null },
};
const event = { id: 184467, text: '{"comment":"Bäckerei Lindner, Köln 🥨","id":184467}' };

const request = (now: Date) => signedRequest(target, event, { now, userAgent: 'Waypost/0.1.0' });

function verifies(key: string, now: Date): boolean {
  const { headers, body } = request(now);
  try {
    return Boolean(new Webhook(key).verify(body, headers));
  } catch {
    return false;
  }
}

test('signs with the old private key until its overlap ends, then with the new one', () => {
  const signature = (now: Date) => JSON.parse(String(request(now).body)).signature;
  const expected = (key: string) => createHmac('sha256', key).update(event.text).digest('base64');
  expect(signature(before)).toBe(expected('old key'));
  expect(signature(overlapEnds)).toBe(expected('new key'));
});

test('signs with both secrets until the overlap ends, then with the new one', () => {
  expect([verifies(secret, before), verifies(previous, before)]).toEqual([true, true]);
  expect([verifies(secret, overlapEnds), verifies(previous, overlapEnds)]).toEqual([true, false]);
  expect(request(before).headers['webhook-signature']?.split(' ')).toHaveLength(2);
  expect(request(overlapEnds).headers['webhook-signature']?.split(' ')).toHaveLength(1);
});

test.each([
  ['{"business":5,"id":1,"location":17}', 'locations/17'],
  ['{"business":5,"id":1}', 'businesses/5'],
  ['{"id":1}', 'others'],
])('the message of %s has the group %s', (text, group) => {
  const pushUrl = 'kafkas://kafka.example.com?topic=events';
  const queue = targetQueue({ pushUrl, type: 'ANY', partnerId: 1, credentials: undefined, identity: undefined });
  const options = { now: before, userAgent: '' };
  expect(signedRequest({ ...target, queue }, { id: 1, text }, options).group).toBe(group);
  expect(signedRequest(target, { id: 1, text }, options).group).toBeUndefined();
});

test('contains the event byte for byte', () => {
  expect(request(before).body.indexOf(`{"event":${event.text},"signature":"`)).toBe(0);
});

test('throws when the partner has no valid key', () => {
  const expired = { ...target, privateKeys: target.privateKeys.slice(0, 1) };
  expect(() => signedRequest(expired, event, { now: overlapEnds, userAgent: '' })).toThrow(/webhook 7/);
});
