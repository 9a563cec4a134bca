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

test('ends every delivery and leaks nothing with misbehaving receivers', { timeout: 30_000 }, async () => {
  let requests = 0;
  const receivers = await Promise.all(
    [1, 2, 3].map(() =>
      tcpReceiver((socket) =>
        socket.on('data', () => {
          requests += 1;
          // 7 is coprime to the number of behaviours, so that each follows each other one.
          behaviours[(requests * 7 + (requests >> 4)) % behaviours.length]?.(socket);
        }),
      ),
    ),
  );
  const sender = new Sender({ policy: loopbackOpen, timeoutMs: 200, connectionsPerHost: 16 });
  const sends = Array.from({ length: 3000 }, (_, i) => sender.send(delivery(receivers[i % 3]?.url ?? '')));
  const outcomes = await Promise.all(sends);
  const kinds = new Set(outcomes.map((outcome) => ('reason' in outcome ? outcome.reason : outcome.kind)));
  expect(kinds).toEqual(new Set(['delivered', 'refused', 'timeout', 'connection-reset', 'protocol']));
  await sender.close();
  await eventually(() => receivers.every(({ sockets }) => sockets.size === 0)).toBe(true);
});
