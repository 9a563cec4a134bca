import { expect, test } from 'vitest';
import { eventually, loopbackOpen, senderFor, tcpReceiver } from '../../../../test/support/loopback-receivers.ts';
import { queueRequest } from '../../../../test/support/queue-request.ts';
import { explainOutcome } from '../outcome.ts';
import { int8, int16, int32, int64 } from './binary.ts';
import { apis, array, bytes, nullString, string } from './kafka-wire.ts';

/** Fields of a response by the key of the request. An undefined one is never sent. */
type Reply = Buffer | ((request: Buffer) => Buffer) | undefined;
type Script = Partial<Record<keyof typeof apis, Reply>>;

const range = ({ key, version }: { key: number; version: number }) =>
  Buffer.concat([int16(key), int16(0), int16(version)]);
const versions = Buffer.concat([int16(0), array(...Object.values(apis).map(range))]);

/** Metadata of the topic "any" with the given partitions and brokers. */
function metadata({
  code = 0,
  brokers = [] as [number, string, number][],
  leaders = [1],
  first = 0,
  topic = 'any',
} = {}) {
  const partition = (leader: number, index: number) =>
    Buffer.concat([int16(0), int32(first + index), int32(leader), array(), array()]);
  return Buffer.concat([
    int32(0),
    array(...brokers.map(([id, host, port]) => Buffer.concat([int32(id), string(host), int32(port), nullString]))),
    nullString,
    int32(1),
    array(Buffer.concat([int16(code), string(topic), int8(0), array(...leaders.map(partition))])),
  ]);
}

/** The number of records of a Produce request: one batch, whose checksum is followed by the last offset. */
function recordsIn(request: Buffer): number {
  const batch = request.indexOf(string('any')) + string('any').length + 12;
  return request.readInt32BE(batch + 23) + 1;
}

function produced({ code = 0, topic = 'any', partition = 0 } = {}) {
  const stored = Buffer.concat([int32(partition), int16(code), int64(7), int64(-1), int64(0)]);
  return Buffer.concat([array(Buffer.concat([string(topic), array(stored)])), int32(0)]);
}

/** A broker that sends the fields of the script, with the id of the request plus `shift`. */
function kafkaThatSends(script: Script, shift = 0) {
  const all: Script = { apiVersions: versions, metadata: metadata(), produce: produced(), ...script };
  return tcpReceiver((socket) => {
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (received: Buffer) => {
      rest = Buffer.concat([rest, received]);
      for (; rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(); rest = rest.subarray(4 + rest.readInt32BE())) {
        const [key, id] = [rest.readInt16BE(4), rest.readInt32BE(8)];
        const [name] = Object.entries(apis).find(([, api]) => api.key === key) ?? [];
        const reply = all[name as keyof typeof apis];
        const fields = typeof reply === 'function' ? reply(rest.subarray(0, 4 + rest.readInt32BE())) : reply;
        if (fields) socket.write(bytes(Buffer.concat([int32(id + shift), fields])));
      }
    });
  });
}

const url = (port: number, login = '', parameters = '') => `kafka://${login}127.0.0.1:${port}?topic=any${parameters}`;

test('a broker that stores the message confirms it', async () => {
  const broker = await kafkaThatSends({});
  const outcome = await senderFor().send(queueRequest(url(broker.port)));
  expect(outcome).toMatchObject({ kind: 'delivered', receipt: { topic: 'any', partition: '0', offset: '7' } });
});

test.each([
  ['a response to another request', {}, 1, 'another request'],
  ['an incomplete response', { metadata: metadata().subarray(0, 12) }, 0, 'incomplete'],
  ['more items than bytes', { apiVersions: Buffer.concat([int16(0), int32(2_000_000_000)]) }, 0, 'incomplete'],
  ['another topic', { metadata: metadata({ topic: 'other' }) }, 0, 'another topic'],
  ['a topic without partitions', { metadata: metadata({ leaders: [] }) }, 0, 'without some'],
  ['partitions with a gap', { metadata: metadata({ first: 5 }) }, 0, 'without some'],
  ['a confirmation of another partition', { produce: produced({ partition: 3 }) }, 0, 'another message'],
  ['a confirmation of another topic', { produce: produced({ topic: 'other' }) }, 0, 'another message'],
  ['only old versions', { apiVersions: Buffer.concat([int16(0), array()]) }, 0, 'Kafka 2.1 or later'],
])('%s ends the connection', async (_, script, shift, detail) => {
  const broker = await kafkaThatSends(script, shift);
  const outcome = await senderFor().send(queueRequest(url(broker.port)));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'protocol', detail: expect.stringContaining(detail) });
  await eventually(() => broker.sockets.size).toBe(0);
});

test.each([
  [{ produce: produced({ code: 10 }) }, 'rejected', 'MESSAGE_TOO_LARGE'],
  [{ produce: produced({ code: 19 }) }, 'rejected', 'NOT_ENOUGH_REPLICAS'],
  [{ produce: produced({ code: 29 }) }, 'credentials', 'TOPIC_AUTHORIZATION_FAILED'],
  [{ produce: produced({ code: 9999 }) }, 'rejected', 'error 9999'],
  [{ metadata: metadata({ code: 3 }) }, 'unroutable', 'UNKNOWN_TOPIC_OR_PARTITION (topic any)'],
])('reports the error of %o', async (script, reason, detail) => {
  const broker = await kafkaThatSends(script);
  const outcome = await senderFor().send(queueRequest(url(broker.port)));
  expect(outcome).toMatchObject({ kind: 'refused', reason, detail: expect.stringContaining(detail) });
  expect(explainOutcome(outcome)?.hint).toBeTruthy();
});

test('messages of a refused batch are sent one by one', async () => {
  const requests: number[] = [];
  const broker = await kafkaThatSends({
    produce: (request) => {
      const records = recordsIn(request);
      requests.push(records);
      return produced({ code: records > 1 ? 10 : 0 });
    },
  });
  const sender = senderFor();
  const sent = ['1', '2', '3', '4', '5'].map((id) => sender.send(queueRequest(url(broker.port), { id })));
  for (const outcome of await Promise.all(sent)) expect(outcome).toMatchObject({ kind: 'delivered' });
  expect(requests).toEqual([1, 1, 3, 1, 1, 1]);
});

test('confirms each message of a batch with its own offset', async () => {
  const broker = await kafkaThatSends({});
  const sender = senderFor();
  const sent = ['1', '2', '3', '4'].map((id) => sender.send(queueRequest(url(broker.port), { id })));
  const offsets = (await Promise.all(sent)).map((outcome) => 'receipt' in outcome && outcome.receipt.offset);
  expect(offsets).toEqual(['7', '7', '7', '8']);
});

test('reads the leaders again after one has changed', async () => {
  const broker = await kafkaThatSends({ produce: produced({ code: 6 }) });
  const sender = senderFor();
  for (const connections of [1, 2]) {
    const outcome = await sender.send(queueRequest(url(broker.port)));
    expect(outcome).toMatchObject({ kind: 'refused', detail: expect.stringContaining('NOT_LEADER') });
    expect(broker.connections()).toBe(connections);
  }
  await eventually(() => broker.sockets.size).toBe(0);
});

test('publishes to the leader of the partition on one connection', async () => {
  const leader = await kafkaThatSends({});
  const first = await kafkaThatSends({
    metadata: metadata({ brokers: [[1, '127.0.0.1', leader.port]] }),
    produce: undefined,
  });
  const sender = senderFor();
  const sent = ['1', '2', '3'].map((id) => sender.send(queueRequest(url(first.port), { id })));
  for (const outcome of await Promise.all(sent)) expect(outcome).toMatchObject({ kind: 'delivered' });
  expect([first.connections(), leader.connections()]).toEqual([1, 1]);
  await sender.close();
  await eventually(() => first.sockets.size + leader.sockets.size).toBe(0);
});

test('a leader that names another leader gets the message', async () => {
  const third = await kafkaThatSends({});
  const leader = await kafkaThatSends({ metadata: metadata({ brokers: [[1, '127.0.0.1', third.port]] }) });
  const first = await kafkaThatSends({ metadata: metadata({ brokers: [[1, '127.0.0.1', leader.port]] }) });
  expect(await senderFor().send(queueRequest(url(first.port)))).toMatchObject({ kind: 'delivered' });
  expect([first.connections(), leader.connections(), third.connections()]).toEqual([1, 1, 0]);
});

test.each([
  ['169.254.169.254', 80, 'a cloud metadata address'],
  ['10.0.0.1', 9092, 'a private address'],
  ['::ffff:10.0.0.1', 9092, 'an IPv4 address written as IPv6'],
  ['127.0.0.2', 9092, 'a loopback address'],
  ['0x7f.2', 9092, 'a loopback address'],
])('does not connect to the leader %s', async (host, port, kind) => {
  const broker = await kafkaThatSends({ metadata: metadata({ brokers: [[1, host, port]] }), produce: undefined });
  const sender = senderFor({ policy: { ...loopbackOpen, allow: ['127.0.0.1/32'] } });
  const outcome = await sender.send(queueRequest(url(broker.port)));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'guarded', detail: expect.stringContaining(kind) });
  expect(outcome).toHaveProperty('detail', expect.stringMatching(/^The broker named the server \S+\. /));
});

test.each(['', 'user:password@127.0.0.1', 'a/b', 'a b', '../x'])(
  'a leader named %o is no address: the message goes to the first broker',
  async (host) => {
    const broker = await kafkaThatSends({ metadata: metadata({ brokers: [[1, host, 9092]] }) });
    expect(await senderFor().send(queueRequest(url(broker.port)))).toMatchObject({ kind: 'delivered' });
  },
);

test('a silent leader causes a timeout, and the next message connects again', async () => {
  const silent = await tcpReceiver((socket) => socket.resume());
  const first = await kafkaThatSends({ metadata: metadata({ brokers: [[1, '127.0.0.1', silent.port]] }) });
  const sender = senderFor();
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const outcome = await sender.send(queueRequest(url(first.port), { timeoutMs: 500 }));
    expect(outcome).toMatchObject({ reason: 'timeout', detail: expect.stringContaining('accept the connection') });
  }
  await eventually(() => silent.sockets.size).toBe(0);
});

const handshake = (...mechanisms: string[]) => Buffer.concat([int16(0), array(...mechanisms.map(string))]);
const challenge = (text: string) => Buffer.concat([int16(0), nullString, bytes(Buffer.from(text))]);

test.each([
  ['too many iterations', 'r=NONCE+,s=c2FsdA==,i=1000000000', 'iterations'],
  ['too few iterations', 'r=NONCE+,s=c2FsdA==,i=1', 'iterations'],
  ['another nonce', 'r=abc,s=c2FsdA==,i=4096', 'nonce'],
  ['no fields', 'hello', 'nonce'],
])('SCRAM: a broker with %s is refused', async (_, text, detail) => {
  const broker = await scramThatSends(text);
  const outcome = await senderFor().send(
    queueRequest(url(broker.port, 'some-user:some-secret@', '&mechanism=SCRAM-SHA-256')),
  );
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'credentials', detail: expect.stringContaining(detail) });
  expect(JSON.stringify(outcome)).not.toContain('some-');
});

test('SCRAM: a broker that does not know the password is refused', async () => {
  const broker = await scramThatSends('r=NONCE+,s=c2FsdA==,i=4096', 'v=AAAA');
  const outcome = await senderFor().send(queueRequest(url(broker.port, 'u:p@', '&mechanism=SCRAM-SHA-512')));
  expect(outcome).toMatchObject({ kind: 'refused', detail: expect.stringContaining('does not prove') });
});

test('names the mechanisms of a broker that does not accept the one of the push URL', async () => {
  const refused = Buffer.concat([int16(33), array(string('SCRAM-SHA-512'))]);
  const broker = await kafkaThatSends({ saslHandshake: refused });
  const outcome = await senderFor().send(queueRequest(url(broker.port, 'u:p@')));
  expect(outcome).toMatchObject({ reason: 'credentials', detail: expect.stringContaining('SCRAM-SHA-512') });
});

test('hides credentials that a broker repeats', async () => {
  const text = 'unknown user some-user with some-secret';
  const refused = Buffer.concat([int16(58), string(text), bytes(Buffer.alloc(0))]);
  const broker = await kafkaThatSends({ saslHandshake: handshake('PLAIN'), saslAuthenticate: refused });
  const outcome = await senderFor().send(queueRequest(url(broker.port, 'some-user:some-secret@')));
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'credentials' });
  expect(JSON.stringify(outcome)).toContain('unknown user');
  expect(JSON.stringify(outcome)).not.toContain('some-');
});

/** Responds to the SCRAM messages of a client one by one. NONCE stands for that of the client. */
function scramThatSends(...challenges: string[]) {
  return tcpReceiver((socket) => {
    let step = 0;
    socket.on('data', (received: Buffer) => {
      const id = received.readInt32BE(8);
      const nonce = /r=([^,]+)$/.exec(received.toString('latin1'))?.[1] ?? '';
      const replies = [
        versions,
        handshake('SCRAM-SHA-256'),
        ...challenges.map((text) => challenge(text.replace('NONCE', nonce))),
      ];
      const reply = replies[step];
      step += 1;
      if (reply) socket.write(bytes(Buffer.concat([int32(id), reply])));
    });
  });
}
