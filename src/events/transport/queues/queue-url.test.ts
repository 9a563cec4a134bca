import { expect, test } from 'vitest';
import { eventTypeNames } from '../../catalogue/catalogue.ts';
import { checkDestination, originOf, parseQueueUrl, queueCredentials, withoutCredentials } from './queue-url.ts';

const policy = { allow: [], requireHttps: true };

test.each([
  ['amqps://rabbit.example.com?queue=events', { virtualHost: '/', exchange: '', key: 'events' }],
  ['amqps://rabbit.example.com/%2Fshop?queue=a%20b', { virtualHost: '/shop', exchange: '', key: 'a b' }],
  [
    'amqps://rabbit.example.com/shop?exchange=e&routingKey=k.{type}',
    { virtualHost: 'shop', exchange: 'e', key: 'k.{type}' },
  ],
  ['amqps://rabbit.example.com/?exchange=e', { virtualHost: '/', exchange: 'e', key: '{type}' }],
  ['tls://nats.example.com?subject=waypost.events', { virtualHost: '', exchange: '', key: 'waypost.events' }],
])('reads %s', (url, names) => {
  expect(parseQueueUrl(url)).toMatchObject(names);
  expect(checkDestination(url, policy)).toBeInstanceOf(URL);
});

test.each([
  ['amqps://h.example.com?queue=q', 'https://h.example.com:5671'],
  ['amqps://H.example.com:443?queue=q', 'https://h.example.com'],
  ['amqp://[2001:db8::1]?queue=q', 'http://[2001:db8::1]:5672'],
  ['nats://h.example.com?subject=s', 'http://h.example.com:4222'],
  ['tls://u:p@h.example.com:4333?subject=s', 'https://h.example.com:4333'],
  ['https://h.example.com/hook', 'https://h.example.com'],
])('connects for %s to %s', (url, origin) => {
  expect(originOf(url)).toBe(origin);
});

test.each([
  ['amqps://h.example.com', 'queue', 'either a queue or an exchange'],
  ['amqps://h.example.com?queue=q&exchange=e', 'queue', 'either a queue or an exchange'],
  ['amqps://h.example.com?queue=q&routingKey=k', 'queue', 'either a queue or an exchange'],
  ['amqps://h.example.com/a/b?queue=q', 'virtualHost', 'virtual host'],
  ['amqps://h.example.com?queue=', 'parameter', 'queue of the push URL is empty'],
  ['amqps://h.example.com?queue=a&queue=b', 'parameter', 'is repeated'],
  ['amqps://h.example.com?queue=q&heartbeat=1', 'parameter', 'heartbeat of the push URL is unknown'],
  [`amqps://h.example.com?queue=${'q'.repeat(256)}`, 'parameter', 'longer than 255 bytes'],
  [`amqps://h.example.com?queue=${'{type}'.repeat(6)}`, 'parameter', 'longer than 255 bytes'],
  ['amqps://h.example.com?queue=q#part', 'fragment', 'fragment'],
  ['amqps://h.example.com:0?queue=q', 'port', 'port 0'],
  ['amqps:?queue=q', 'host', 'no valid host'],
  ['amqps://user:%zz@h.example.com?queue=q', 'credentials', 'percent-encoded'],
  ['amqp://h.example.com?queue=q', 'https', 'amqps://'],
  ['nats://h.example.com?subject=s', 'https', 'tls://'],
  ['tls://h.example.com', 'subject', 'must name a subject'],
  ['tls://h.example.com?subject=a..b', 'subject', 'must name a subject'],
  ['tls://h.example.com?subject=a.*', 'subject', 'wildcards'],
  ['tls://h.example.com/path?subject=a', 'path', 'path'],
  ['amqps://127.0.0.1?queue=q', 'address', 'loopback'],
  ['amqps://localhost?queue=q', 'address', 'host of this service'],
  ['amqps://h.example.com?queue=a b', 'syntax', 'space'],
])('rejects %s', (url, rule, message) => {
  expect(checkDestination(url, policy)).toEqual({ rule, message: expect.stringContaining(message) });
});

test.each([
  [
    'amqps://user:p%40ss@h.example.com/v?queue=q',
    'amqps://h.example.com/v?queue=q',
    { username: 'user', password: 'p@ss' },
  ],
  ['tls://token@h.example.com?subject=s', 'tls://h.example.com?subject=s', { username: 'token', password: '' }],
  ['amqps://a@b:c@h.example.com?queue=q', 'amqps://h.example.com?queue=q', { username: 'a@b', password: 'c' }],
  [
    'AMQPS://user:secret@h.example.com?queue=q@r',
    'AMQPS://h.example.com?queue=q@r',
    { username: 'user', password: 'secret' },
  ],
  ['amqps://h.example.com?queue=q@r', 'amqps://h.example.com?queue=q@r', undefined],
  ['https://h.example.com/@a', 'https://h.example.com/@a', undefined],
])('separates the credentials of %s', (url, shown, credentials) => {
  expect(withoutCredentials(url)).toBe(shown);
  expect(queueCredentials(url)).toEqual(credentials);
});

test('names with every event type are short enough', () => {
  const queue = parseQueueUrl(`amqps://h.example.com?queue=${'{type}'.repeat(5)}`);
  for (const type of eventTypeNames) {
    const key = 'key' in queue ? queue.key.replaceAll('{type}', type) : '';
    expect(key.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(key)).toBeLessThanOrEqual(255);
  }
});
