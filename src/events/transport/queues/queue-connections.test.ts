import type { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, senderFor, tcpReceiver } from '../../../../test/support/loopback-receivers.ts';
import { queueRequest } from '../../../../test/support/queue-request.ts';

/** Speaks the protocol of NATS; `onMessage` gets the subject of each message. */
const natsBroker = (onMessage: (subject: string, acknowledge: () => void, socket: Socket) => void) =>
  tcpReceiver((socket) => {
    socket.write('INFO {"headers":true,"max_payload":1048576}\r\n');
    let sequence = 0;
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.toString();
      if (text.includes('PING')) socket.write('PONG\r\n');
      const [, subject, inbox] = /^HPUB (\S+) (\S+)/m.exec(text) ?? [];
      if (!subject) return;
      sequence += 1;
      const acknowledgement = JSON.stringify({ stream: 'S', seq: sequence });
      const acknowledge = () => socket.write(`MSG ${inbox} 1 ${acknowledgement.length}\r\n${acknowledgement}\r\n`);
      onMessage(subject, acknowledge, socket);
    });
  });

/** Acknowledges every message as NATS JetStream does. */
const acceptingBroker = () => natsBroker((_subject, acknowledge) => acknowledge());

const requestTo = (port: number, subject: string) => queueRequest(`nats://127.0.0.1:${port}?subject=${subject}`);

test('an idle connection is closed after half a minute, and the next message opens another one', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const broker = await acceptingBroker();
  const sender = senderFor();
  const publish = async () =>
    expect(await sender.send(requestTo(broker.port, 'any'))).toMatchObject({ kind: 'delivered' });
  await publish();
  vi.advanceTimersByTime(29_000);
  await publish();
  expect(broker.connections()).toBe(1);
  vi.advanceTimersByTime(36_000);
  await eventually(() => broker.sockets.size).toBe(0);
  await publish();
  expect(broker.connections()).toBe(2);
});

test('at most 256 connections stay open: the oldest idle one is closed for a new destination', async () => {
  const broker = await acceptingBroker();
  const sender = senderFor();
  for (let n = 1; n <= 260; n++) {
    expect(await sender.send(requestTo(broker.port, `subject-${n}`))).toMatchObject({ kind: 'delivered' });
  }
  await eventually(() => broker.sockets.size).toBe(256);
  await sender.send(requestTo(broker.port, 'subject-260'));
  expect(broker.connections()).toBe(260);
  await sender.send(requestTo(broker.port, 'subject-1'));
  expect(broker.connections()).toBe(261);
});

test('webhooks of different types that share a push URL do not fail the messages of each other', async () => {
  let acknowledge: (() => void) | undefined;
  const broker = await natsBroker((subject, acknowledgeOne, socket) => {
    if (subject === 'shop.LOCATION_CREATED') acknowledge = acknowledgeOne;
    else socket.end("-ERR 'Permissions Violation for Publish'\r\n");
  });
  const sender = senderFor();
  const url = `nats://127.0.0.1:${broker.port}?subject=shop.{type}`;
  const accepted = sender.send(queueRequest(url));
  await eventually(() => acknowledge).toBeDefined();
  const refused = await sender.send(queueRequest(url, { type: 'BUSINESS_CREATED' }));
  expect(refused).toMatchObject({ kind: 'refused', reason: 'credentials' });
  acknowledge?.();
  expect(await accepted).toMatchObject({ kind: 'delivered' });
});
