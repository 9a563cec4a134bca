import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, senderFor, tcpReceiver } from '../../../../test/support/loopback-receivers.ts';
import { queueRequest } from '../../../../test/support/queue-request.ts';

/** Acknowledges every message as NATS JetStream does. */
const acceptingBroker = () =>
  tcpReceiver((socket) => {
    socket.write('INFO {"headers":true,"max_payload":1048576}\r\n');
    let sequence = 0;
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.toString();
      if (text.includes('PING')) socket.write('PONG\r\n');
      const inbox = /^HPUB \S+ (\S+)/m.exec(text)?.[1];
      if (!inbox) return;
      sequence += 1;
      const acknowledgement = JSON.stringify({ stream: 'S', seq: sequence });
      socket.write(`MSG ${inbox} 1 ${acknowledgement.length}\r\n${acknowledgement}\r\n`);
    });
  });

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
