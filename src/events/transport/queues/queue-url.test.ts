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
  ['kafkas://kafka.example.com?topic=waypost.{type}', { key: 'waypost.{type}', mechanism: 'PLAIN' }],
  ['kafkas://kafka.example.com/?topic=a&mechanism=SCRAM-SHA-512', { key: 'a', mechanism: 'SCRAM-SHA-512' }],
  ['sqs://sqs.eu-central-1.amazonaws.com/123456789012/events', { key: '123456789012/events', region: 'eu-central-1' }],
  [
    'sqs://vpce-1a-2b.sqs.us-east-1.vpce.amazonaws.com/123456789012/{type}.fifo',
    { key: '123456789012/{type}.fifo', region: 'us-east-1' },
  ],
  ['sqs://sqs.cn-north-1.amazonaws.com.cn/1/e', { region: 'cn-north-1' }],
  ['sqs://queue.example.com/1/e?region=eu-west-1', { region: 'eu-west-1' }],
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
  ['kafkas://h.example.com?topic=t', 'https://h.example.com:9093'],
  ['kafka://h.example.com?topic=t', 'http://h.example.com:9092'],
  ['sqs://sqs.eu-west-1.amazonaws.com/1/q', 'https://sqs.eu-west-1.amazonaws.com'],
  ['sqs+http://u:p@h.example.com:9324/1/q?region=r', 'http://h.example.com:9324'],
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
  ['amqps://user:12/34@h.example.com?queue=q', 'credentials', 'percent-encoded'],
  ['amqp://h.example.com?queue=q', 'https', 'amqps://'],
  ['nats://h.example.com?subject=s', 'https', 'tls://'],
  ['tls://h.example.com', 'subject', 'must name a subject'],
  ['tls://h.example.com?subject=a..b', 'subject', 'must name a subject'],
  ['tls://h.example.com?subject=a.*', 'subject', 'wildcards'],
  ['tls://h.example.com/path?subject=a', 'path', 'path'],
  ['kafkas://h.example.com', 'topic', 'must name a topic'],
  ['kafkas://h.example.com?topic=..', 'topic', 'must name a topic'],
  ['kafkas://h.example.com?topic=a/b', 'topic', 'letters, digits'],
  [`kafkas://h.example.com?topic=${'t'.repeat(250)}`, 'topic', '249'],
  ['kafkas://h.example.com/topic?topic=a', 'path', 'path'],
  ['kafkas://h.example.com?topic=a&mechanism=GSSAPI', 'mechanism', 'PLAIN, SCRAM-SHA-256, SCRAM-SHA-512'],
  ['kafkas://h.example.com?topic=a&acks=1', 'parameter', 'acks of the push URL is unknown'],
  ['kafka://h.example.com?topic=a', 'https', 'kafkas://'],
  ['sqs://sqs.eu-west-1.amazonaws.com/q', 'queue', 'the account and a queue'],
  ['sqs://sqs.eu-west-1.amazonaws.com/1/a.b', 'queue', 'the account and a queue'],
  [`sqs://sqs.eu-west-1.amazonaws.com/1/${'q'.repeat(76)}.fifo`, 'queue', 'up to 80'],
  ['sqs://sqs.eu-west-1.amazonaws.com/1/q/r', 'queue', 'the account and a queue'],
  ['sqs://queue.example.com/1/q', 'region', '?region=NAME'],
  ['sqs://queue.example.com/1/q?region=EU%20West', 'region', '?region=NAME'],
  ['sqs://evilsqs.eu-west-1.amazonaws.com.example.com/1/q', 'region', '?region=NAME'],
  ['sqs+http://h.example.com/1/q?region=r', 'https', 'sqs://'],
  ['sqs://KEY:a/b@sqs.eu-west-1.amazonaws.com/1/q', 'syntax', 'percent-encoded secret'],
  ['sqs://ключ:secret@sqs.eu-west-1.amazonaws.com/1/q', 'credentials', 'visible ASCII'],
  ['sqs://KEY:secret%E2%80%8B@sqs.eu-west-1.amazonaws.com/1/q', 'credentials', 'visible ASCII'],
  ['sqs://169.254.169.254/1/q?region=r', 'address', 'cloud metadata'],
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
  [
    'sqs+http://KEY:a%2Fb%2Bc@h.example.com/1/q?region=r',
    'sqs+http://h.example.com/1/q?region=r',
    { username: 'KEY', password: 'a/b+c' },
  ],
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
