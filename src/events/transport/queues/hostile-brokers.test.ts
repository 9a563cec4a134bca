import { describe, expect, test } from 'vitest';
import { eventually, senderFor, tcpReceiver } from '../../../../test/support/loopback-receivers.ts';
import { queueRequest } from '../../../../test/support/queue-request.ts';
import { explainOutcome, type Outcome } from '../outcome.ts';
import { frame, frameTypes, method, methodId, shortString, table } from './amqp-frames.ts';
import { int8, int16, int32, int64 } from './binary.ts';

/** Accepts the connection and a channel as RabbitMQ does. The client sends the publication after the last of these. */
const handshake = [
  method(methodId(10, 10), 0, int8(0), int8(9), table({}), int32(5), Buffer.from('PLAIN'), int32(0)),
  method(methodId(10, 30), 0, int16(2047), int32(131_072), int16(60)),
  method(methodId(10, 41), 0, shortString('')),
  Buffer.concat([method(methodId(20, 11), 1, int32(0)), method(methodId(85, 11), 1)]),
];
const info = Buffer.from('INFO {"headers":true,"max_payload":1048576}\r\n');
/** The first part of a response of 655,360 bytes. */
const longResponse = Buffer.concat([Buffer.from([0, 10, 0, 0]), Buffer.alloc(16_000)]);
const heartbeats = Buffer.concat(Array(1000).fill(frame(frameTypes.heartbeat, 0)));

const urls = {
  RabbitMQ: (port: number) => `amqp://127.0.0.1:${port}?queue=any`,
  NATS: (port: number) => `nats://127.0.0.1:${port}?subject=any`,
  Kafka: (port: number) => `kafka://127.0.0.1:${port}?topic=any`,
};
const protocols = ['RabbitMQ', 'NATS', 'Kafka'] as const;

/** Runs the handshake of RabbitMQ step by step, then sends the bytes after each message. */
const rabbitThatSends = (bytes: Buffer) =>
  tcpReceiver((socket) => {
    let step = 0;
    socket.on('data', () => socket.write(handshake[step++] ?? bytes));
  });

/** Runs the handshake of NATS, then sends the bytes after each message. */
const natsThatSends = (reply: (inbox: string) => string) =>
  tcpReceiver((socket) => {
    let isOpen = false;
    socket.write(info);
    socket.on('data', (bytes: Buffer) => {
      const inbox = /_INBOX\.\S+/.exec(bytes.toString())?.[0] ?? '';
      socket.write(isOpen ? reply(inbox) : 'PONG\r\n');
      isOpen = true;
    });
  });

describe.each(protocols)('%s', (protocol) => {
  const url = urls[protocol];

  test('a silent broker causes a timeout, and delays no other delivery', async () => {
    const silent = await tcpReceiver((socket) => socket.resume());
    const sender = senderFor();
    const stuck = sender.send(queueRequest(url(silent.port), { timeoutMs: 1000 }));
    await eventually(() => silent.connections()).toBe(1);
    const other = await tcpReceiver((socket) => socket.end());
    expect(await sender.send(queueRequest(url(other.port)))).toMatchObject({ reason: 'connection-reset' });
    const outcome = await stuck;
    expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'timeout', detail: expect.stringContaining('1 s') });
    expect(explainOutcome(outcome)?.hint).toContain('broker');
    await eventually(() => silent.sockets.size).toBe(0);
  });

  test('a broker that floods the connection is disconnected', async () => {
    const floods = { RabbitMQ: heartbeats, NATS: Buffer.from('PING\r\n'.repeat(1000)), Kafka: longResponse };
    const flood = await tcpReceiver((socket) => {
      if (protocol === 'NATS') socket.write(info);
      const send = () => {
        while (socket.writable && socket.write(floods[protocol]));
        socket.once('drain', send);
      };
      send();
    });
    // Reading the flood can take seconds on a busy machine.
    const outcome = await senderFor({ timeoutMs: 50_000 }).send(queueRequest(url(flood.port)));
    expect(outcome).toMatchObject({ reason: 'protocol', detail: expect.stringContaining('more data') });
    await eventually(() => flood.sockets.size).toBe(0);
  });

  test.each([
    ['another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['zeros', Buffer.alloc(100_000)],
    [
      'a line or frame that never ends',
      Buffer.concat([Buffer.from([1, 0, 0, 0, 1, 255, 0]), Buffer.alloc(250_000, 32)]),
    ],
  ])('a broker that sends %s is disconnected', async (_, bytes) => {
    const broker = await tcpReceiver((socket) => socket.resume().write(bytes));
    const outcome = await senderFor().send(queueRequest(url(broker.port)));
    expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'protocol' });
    await eventually(() => broker.sockets.size).toBe(0);
  });
});

const ack = (tag: number) => method(methodId(60, 80), 1, int64(tag), int8(0));

test.each([
  ['a confirmation of another message', ack(4_000_000_000)],
  ['a message', frame(frameTypes.header, 1, int16(60), int16(0), int64(1), int16(0))],
  ['an incomplete method', method(methodId(60, 80), 1)],
  ['an unknown method', method(methodId(99, 1), 1)],
])('RabbitMQ: %s ends the connection', async (_, bytes) => {
  const broker = await rabbitThatSends(bytes);
  const outcome = await senderFor().send(queueRequest(urls.RabbitMQ(broker.port)));
  expect(outcome).toMatchObject({
    kind: 'unreachable',
    reason: 'protocol',
    phases: { firstByteMs: expect.any(Number) },
  });
});

test.each([
  ['rejects the message', method(methodId(60, 120), 1, int64(1), int8(0)), 'rejected', 'nack'],
  ['confirms all messages', method(methodId(60, 80), 1, int64(0), int8(1)), undefined, undefined],
  [
    'closes the channel',
    method(methodId(20, 40), 1, int16(406), shortString('message is too large'), int16(60), int16(40)),
    'rejected',
    '406 message is too large',
  ],
])('RabbitMQ: a broker that %s', async (_, bytes, reason, detail) => {
  const broker = await rabbitThatSends(bytes);
  const outcome = await senderFor().send(queueRequest(urls.RabbitMQ(broker.port)));
  if (reason === undefined) expect(outcome).toMatchObject({ kind: 'delivered' });
  else expect(outcome).toMatchObject({ kind: 'refused', reason, detail: expect.stringContaining(`${detail}`) });
});

test('RabbitMQ: the reason of a blocked connection is reported', async () => {
  const broker = await rabbitThatSends(method(methodId(10, 60), 0, shortString('low on memory')));
  const outcome = await senderFor().send(queueRequest(urls.RabbitMQ(broker.port), { timeoutMs: 1000 }));
  expect(outcome).toMatchObject({ reason: 'timeout', detail: expect.stringContaining('low on memory') });
});

test('RabbitMQ: a returned message fails only the oldest one with its id', async () => {
  const properties = [int16(0xb080), shortString('application/json'), table({}), int8(2), shortString('1')];
  const returned = Buffer.concat([
    method(methodId(60, 50), 1, int16(312), shortString('NO_ROUTE'), shortString(''), shortString('any')),
    frame(frameTypes.header, 1, int16(60), int16(0), int64(0), ...properties),
  ]);
  const body = '{"event":{}}';
  const broker = await tcpReceiver((socket) => {
    let step = 0;
    let received = '';
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
      if (step < handshake.length) socket.write(handshake[step++] as Buffer);
      else if (received.split(body).length === 3) socket.write(Buffer.concat([returned, ack(1), ack(2)]));
    });
  });
  const sender = senderFor();
  const request = queueRequest(urls.RabbitMQ(broker.port), { body });
  const [oldest, newest] = await Promise.all([sender.send(request), sender.send(request)]);
  expect(oldest).toMatchObject({ kind: 'refused', reason: 'unroutable' });
  expect(newest).toMatchObject({ kind: 'delivered' });
});

const message = (subject: string, payload: string) => `MSG ${subject} 1 ${payload.length}\r\n${payload}\r\n`;

test.each([
  ['a confirmation of another message', () => message('_INBOX.other.1', '{"stream":"S","seq":1}')],
  ['a message of many bytes', (inbox: string) => `MSG ${inbox} 1 99999999999\r\n`],
  ['a message of negative length', (inbox: string) => `HMSG ${inbox} 1 -5 10\r\n`],
])('NATS: %s ends the connection', async (_, reply) => {
  const broker = await natsThatSends(reply);
  const outcome = await senderFor().send(queueRequest(urls.NATS(broker.port)));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'protocol' });
});

test.each(['PONG\r\n', 'PON'])('NATS: data before the TLS handshake (%j) ends the connection', async (early) => {
  let received = '';
  const broker = await tcpReceiver((socket) => {
    socket.write(`INFO {"headers":true,"tls_required":true}\r\n${early}`);
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
    });
  });
  const outcome = await senderFor().send(queueRequest(urls.NATS(broker.port), { timeoutMs: 1000 }));
  expect(received).not.toContain('HPUB');
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'protocol' });
});

test.each([
  ['an error of the stream', '{"error":{"code":503,"description":"maximum messages exceeded"}}', 'maximum messages'],
  ['a text instead of an acknowledgement', 'thanks', 'not an acknowledgement'],
  ['an acknowledgement without a sequence', '{"stream":"S"}', 'not an acknowledgement'],
])('NATS: %s is a refusal', async (_, payload, detail) => {
  const broker = await natsThatSends((inbox) => message(inbox, payload));
  const outcome = await senderFor().send(queueRequest(urls.NATS(broker.port)));
  expect(outcome).toMatchObject({ kind: 'refused', reason: 'rejected', detail: expect.stringContaining(detail) });
});

test.each([
  ['a lone surrogate', '\\ud800'],
  ['a NUL', '\\u0000'],
  ['an emoji at the length limit', `x${'\u{1F600}'.repeat(400)}`],
])('NATS: the error of a stream with %s can be stored', async (_, description) => {
  const payload = `{"error":{"code":1,"description":"${description}"}}`;
  const broker = await natsThatSends((inbox) => `MSG ${inbox} 1 ${Buffer.byteLength(payload)}\r\n${payload}\r\n`);
  expectStorable(await senderFor().send(queueRequest(urls.NATS(broker.port))));
});

test('NATS: the failure after an INFO with a NUL can be stored', async () => {
  const broker = await tcpReceiver((socket) => socket.write('INFO \0\r\n'));
  const outcome = await senderFor().send(queueRequest(urls.NATS(broker.port)));
  expect(outcome).toMatchObject({ reason: 'protocol' });
  expectStorable(outcome);
});

/** PostgreSQL stores neither NUL nor lone surrogates. */
function expectStorable(outcome: Outcome): void {
  const detail = 'detail' in outcome ? outcome.detail : '\0';
  expect([detail.isWellFormed(), detail.includes('\0')]).toEqual([true, false]);
}
