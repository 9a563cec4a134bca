import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  delivery,
  eventually,
  httpReceiver,
  loopbackOpen,
  rawReceiver,
  senderFor,
  tcpReceiver,
} from '../../../test/support/loopback-receivers.ts';
import { Sender } from './sender.ts';

test('delivers the request unchanged and returns the response', async () => {
  const seen: unknown[] = [];
  const receiver = await httpReceiver(async (request, response) => {
    const body = (await request.toArray()).join('');
    seen.push({ method: request.method, path: request.url, headers: request.headers, body });
    response.writeHead(202, { 'x-request-id': 'r1' }).end('thank you');
  });
  const outcome = await senderFor().send({
    url: `http://127.0.0.1:${receiver.port}/a/b?c=d`,
    headers: { 'content-type': 'application/json', 'webhook-id': '7' },
    body: '{"event":"Straße"}',
  });
  expect(outcome).toMatchObject({
    kind: 'delivered',
    response: { status: 202, headers: { 'x-request-id': 'r1' }, body: Buffer.from('thank you'), truncated: false },
  });
  expect(seen).toEqual([
    {
      method: 'POST',
      path: '/a/b?c=d',
      headers: {
        host: `127.0.0.1:${receiver.port}`,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': '19',
        'webhook-id': '7',
      },
      body: '{"event":"Straße"}',
    },
  ]);
});

test('reuses a connection, and reports connection phases for the first delivery only', async () => {
  const receiver = await httpReceiver((_request, response) => response.end());
  const sender = senderFor();
  const first = await sender.send(delivery(receiver.url));
  const second = await sender.send(delivery(receiver.url));
  expect(receiver.connections()).toBe(1);
  expect(Object.keys(first.phases).sort()).toEqual(['connectMs', 'dnsMs', 'firstByteMs', 'totalMs']);
  expect(Object.keys(second.phases).sort()).toEqual(['firstByteMs', 'totalMs']);
  for (const { phases } of [first, second]) {
    expect(phases.firstByteMs).toBeGreaterThan(0);
    expect(phases.totalMs).toBeGreaterThanOrEqual(phases.firstByteMs ?? Number.NaN);
  }
});

test('connects to the checked addresses of a name', async () => {
  const receiver = await httpReceiver((_request, response) => response.end());
  const outcome = await senderFor().send(delivery(`http://localhost:${receiver.port}/`));
  expect(outcome.kind).toBe('delivered');
});

test('does not connect to a name with a blocked address', async () => {
  const receiver = await httpReceiver((_request, response) => response.end());
  // The name passes because one loopback address is allowed; the resolved address is not.
  const sender = senderFor({ policy: { allow: ['127.0.0.1/32'], requireHttps: true } });
  const closed = senderFor({ policy: { allow: [], requireHttps: false } });
  const wrong = senderFor({ policy: { allow: ['127.0.0.2/32', '::1/128'], requireHttps: false } });
  expect(await sender.send(delivery(receiver.url))).toMatchObject({ kind: 'delivered' });
  for (const guarded of [closed, wrong]) {
    const outcome = await guarded.send(delivery(`http://localhost:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'guarded' });
  }
  expect(receiver.connections()).toBe(1);
});

test('reports a DNS failure for a name that does not exist', { timeout: 20_000 }, async () => {
  const outcome = await senderFor({ timeoutMs: 15_000 }).send(delivery('http://nobody.invalid/'));
  expect(outcome).toMatchObject({
    kind: 'unreachable',
    reason: 'dns',
    detail: expect.stringContaining('nobody.invalid'),
  });
});

test('does not send to an invalid push URL', async () => {
  const outcome = await senderFor().send(delivery('ftp://127.0.0.1/'));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'guarded', phases: { totalMs: 0 } });
});

test('reports 410 as gone', async () => {
  const receiver = await httpReceiver((_request, response) => response.writeHead(410).end());
  expect(await senderFor().send(delivery(receiver.url))).toMatchObject({ kind: 'gone', response: { status: 410 } });
});

test('returns Retry-After in seconds or as a date', async () => {
  const waits = ['120', new Date(Date.now() + 60_000).toUTCString(), 'soon'];
  const receiver = await httpReceiver((request, response) =>
    response.writeHead(503, { 'retry-after': waits[Number(request.url?.slice(1))] }).end(),
  );
  const sender = senderFor();
  const outcomes = await Promise.all(
    [0, 1, 2].map((i) => sender.send(delivery(`http://127.0.0.1:${receiver.port}/${i}`))),
  );
  const asked = outcomes.map((outcome) => ('retryAfterSeconds' in outcome ? outcome.retryAfterSeconds : undefined));
  expect(asked).toEqual([120, expect.toSatisfy((seconds: number) => seconds > 50 && seconds <= 60), undefined]);
});

test('limits connections per host and sends waiting deliveries in order', async () => {
  const held: { path: string | undefined; response: ServerResponse }[] = [];
  const receiver = await httpReceiver((request, response) => held.push({ path: request.url, response }));
  const sender = senderFor({ connectionsPerHost: 2 });
  const paths = ['/1', '/2', '/3', '/4', '/5', '/6'];
  const sends = paths.map((path) => sender.send(delivery(`http://127.0.0.1:${receiver.port}${path}`)));
  const order: unknown[] = [];
  for (let left = paths.length; left > 0; left--) {
    await eventually(() => held.length).toBe(Math.min(2, left));
    const oldest = held.shift();
    order.push(oldest?.path);
    oldest?.response.end();
  }
  expect(await Promise.all(sends)).toMatchObject(paths.map(() => ({ kind: 'delivered' })));
  expect(order.slice(2)).toEqual(paths.slice(2));
  expect(receiver.connections()).toBe(2);
});

test('waiting for a connection counts towards the timeout', async () => {
  const receiver = await httpReceiver(() => {});
  const sender = senderFor({ connectionsPerHost: 1, timeoutMs: 500 });
  const [sent, ...waiting] = await Promise.all([1, 2, 3].map(() => sender.send(delivery(receiver.url))));
  expect(sent).toMatchObject({ reason: 'timeout', detail: expect.stringContaining('No response within') });
  const detail = 'All connections to the receiver were in use for 0.5 s.';
  expect(waiting).toMatchObject(Array(2).fill({ kind: 'unreachable', reason: 'timeout', detail }));
  expect(receiver.connections()).toBe(1);
});

test('does not reuse a connection that the receiver closes', async () => {
  const receiver = await rawReceiver('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', 'end');
  const sender = senderFor({ connectionsPerHost: 1 });
  const outcomes = await Promise.all([1, 2, 3].map(() => sender.send(delivery(receiver.url))));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(receiver.connections()).toBe(3);
});

test('sends again on a new connection if an idle one was closed', async () => {
  const requests: number[] = [];
  let connections = 0;
  const receiver = await tcpReceiver((socket) => {
    connections += 1;
    const connection = connections;
    socket.on('data', () => {
      const isFirst = !requests.includes(connection);
      requests.push(connection);
      if (isFirst) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else socket.destroy();
    });
  });
  const sender = senderFor();
  expect(await sender.send(delivery(receiver.url))).toMatchObject({ kind: 'delivered' });
  const second = await sender.send(delivery(receiver.url));
  expect(second).toMatchObject({ kind: 'delivered' });
  expect(second.phases).toHaveProperty('connectMs');
  expect(requests).toEqual([1, 1, 2]);
});

test('replaces an old connection, following DNS changes', async () => {
  const receiver = await httpReceiver((_request, response) => response.end());
  const sender = senderFor();
  await sender.send(delivery(receiver.url));
  const { now } = performance;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 5 * 60_000);
  onTestFinished(() => clock.mockRestore());
  expect(await sender.send(delivery(receiver.url))).toMatchObject({ kind: 'delivered' });
  expect(receiver.connections()).toBe(2);
  await eventually(() => receiver.sockets.size).toBe(1);
});

test('delivers after a restart of the receiver', async () => {
  const receiver = await httpReceiver((_request, response) => response.end());
  const sender = senderFor();
  for (let i = 0; i < 5; i++) {
    expect(await sender.send(delivery(receiver.url))).toMatchObject({ kind: 'delivered' });
    for (const socket of receiver.sockets) socket.resetAndDestroy();
  }
});

test('does not retry on a new connection that is reset', async () => {
  const receiver = await tcpReceiver((socket) => socket.on('data', () => socket.resetAndDestroy()));
  expect(await senderFor().send(delivery(receiver.url))).toMatchObject({ reason: 'connection-reset' });
  expect(receiver.connections()).toBe(1);
});

test('limits idle connections over all hosts', { timeout: 30_000 }, async () => {
  const held: ServerResponse[] = [];
  const receivers = await Promise.all(
    Array.from({ length: 20 }, () => httpReceiver((_request, response) => held.push(response))),
  );
  const sender = senderFor({ connectionsPerHost: 30, timeoutMs: 20_000 });
  const sends = receivers.flatMap(({ url }) => Array.from({ length: 30 }, () => sender.send(delivery(url))));
  await eventually(() => held.length).toBe(600);
  for (const response of held) response.end();
  await Promise.all(sends);
  await eventually(() => receivers.reduce((sum, { sockets }) => sum + sockets.size, 0)).toBe(512);
});

test('close waits for requests in flight and rejects later ones', async () => {
  const receiver = await httpReceiver(async (request, response) => {
    await once(request.resume(), 'end');
    response.end();
  });
  const sender = new Sender({ policy: loopbackOpen, timeoutMs: 5000, connectionsPerHost: 1 });
  const sends = [1, 2, 3].map(() => sender.send(delivery(receiver.url)));
  await sender.close();
  expect(await Promise.all(sends)).toMatchObject(Array(3).fill({ kind: 'delivered' }));
  expect(await sender.send(delivery(receiver.url))).toMatchObject({ kind: 'unreachable', reason: 'unreachable' });
  await eventually(() => receiver.sockets.size).toBe(0);
});
