import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { delivery, eventually, loopbackOpen, tcpReceiver } from '../../../test/support/loopback-receivers.ts';
import { Sender } from './sender.ts';

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const behaviours: ((socket: Socket) => void)[] = [
  (socket) => socket.write(ok),
  (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ok}`),
  (socket) => socket.write('HTTP/1.1 503 Busy\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n'),
  (socket) => socket.end(ok.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')),
  (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n${'x'.repeat(20_000)}`),
  (socket) => socket.end(ok),
  (socket) => socket.end(ok.slice(0, 20)),
  (socket) => socket.destroy(),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.write('nonsense'),
  (socket) => socket.write(ok + ok),
  () => {},
];

test('ends every delivery to misbehaving receivers and closes its connections', { timeout: 30_000 }, async () => {
  let requests = 0;
  const receivers = await Promise.all(
    [1, 2, 3].map(() =>
      tcpReceiver((socket) =>
        socket.on('data', () => {
          requests += 1;
          // 7 is coprime to 12, so every behaviour occurs. The shift changes their order after 16 requests.
          behaviours[(requests * 7 + (requests >> 4)) % behaviours.length]?.(socket);
        }),
      ),
    ),
  );
  const sender = new Sender({ policy: loopbackOpen, timeoutMs: 200, connectionsPerHost: 16 });
  const kinds = new Set<string>();
  // One delivery per connection: the time limit includes the wait for a connection.
  const sendInSequence = async (url: string) => {
    for (let sent = 0; sent < 40; sent += 1) {
      const outcome = await sender.send(delivery(url));
      kinds.add('reason' in outcome ? outcome.reason : outcome.kind);
    }
  };
  await Promise.all(receivers.flatMap(({ url }) => Array.from({ length: 16 }, () => sendInSequence(url))));
  expect(kinds).toEqual(new Set(['delivered', 'refused', 'timeout', 'connection-reset', 'protocol']));
  await sender.close();
  await eventually(() => receivers.every(({ sockets }) => sockets.size === 0)).toBe(true);
});
