import { once } from 'node:events';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../test/support/free-port.ts';
import {
  delivery,
  eventually,
  httpReceiver,
  rawReceiver,
  senderFor,
  tcpReceiver,
} from '../../../test/support/loopback-receivers.ts';
import { explainOutcome, type Outcome } from './outcome.ts';

const timeoutMs = 1_000;

function expectUnreachable(outcome: Outcome, reason: string, detail: RegExp) {
  expect(outcome).toMatchObject({ kind: 'unreachable', reason, detail: expect.stringMatching(detail) });
  expect(explainOutcome(outcome)?.hint).toMatch(/\.$/);
}

function expectTimeout(outcome: Outcome, detail: RegExp) {
  expectUnreachable(outcome, 'timeout', detail);
  expect(outcome.phases.totalMs).toBeGreaterThanOrEqual(timeoutMs);
}

test('reports connection-refused for a closed port', async () => {
  const outcome = await senderFor().send(delivery(`http://127.0.0.1:${await freePort()}/`));
  expectUnreachable(outcome, 'connection-refused', /refused the connection/);
});

test('times out if the receiver does not accept connections', async () => {
  const { port } = await stuckReceiver();
  const outcome = await senderFor({ timeoutMs }).send(delivery(`http://127.0.0.1:${port}/`));
  expectTimeout(outcome, /connection was not opened within 1 s/);
});

test('times out without a response', async () => {
  const receiver = await tcpReceiver((socket) => socket.resume());
  const outcome = await senderFor({ timeoutMs }).send(delivery(receiver.url));
  expectTimeout(outcome, /No response within 1 s/);
  await eventually(() => receiver.sockets.size).toBe(0);
});

test('times out during the TLS handshake', async () => {
  const receiver = await tcpReceiver(() => {});
  const outcome = await senderFor({ timeoutMs }).send(delivery(`https://127.0.0.1:${receiver.port}/`));
  expectTimeout(outcome, /TLS handshake was not finished within 1 s/);
});

test('does not extend the timeout for headers sent byte by byte', async () => {
  const receiver = await dripping('HTTP/1.1 200 OK\r\n', 'x');
  const outcome = await senderFor({ timeoutMs }).send(delivery(receiver.url));
  expectTimeout(outcome, /did not send complete response headers within 1 s/);
});

test('does not extend the timeout for a body sent byte by byte, and keeps the received part', async () => {
  const receiver = await dripping('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', 'x');
  const outcome = await senderFor({ timeoutMs }).send(delivery(receiver.url));
  expectTimeout(outcome, /response was not complete within 1 s/);
  expect(outcome.response).toMatchObject({ status: 200, truncated: false });
  expect(outcome.response?.body.toString()).toMatch(/^x+$/);
});

test.for([200, 500])('truncates an endless body after 16 KiB with status %i', async (status) => {
  let written = 0;
  const receiver = await httpReceiver((_request, response) => {
    response.writeHead(status);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const pour = () => {
      do written += chunk.length;
      while (response.write(chunk));
    };
    response.on('drain', pour);
    pour();
  });
  const outcome = await senderFor().send(delivery(receiver.url));
  expect(outcome).toMatchObject({
    kind: status === 200 ? 'delivered' : 'refused',
    response: { status, truncated: true },
  });
  expect(outcome.response?.body).toHaveLength(16 * 1024);
  await eventually(() => receiver.sockets.size).toBe(0);
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test('keeps a body of exactly 16 KiB and reuses the connection', async () => {
  const receiver = await httpReceiver((_request, response) => response.end(Buffer.alloc(16 * 1024)));
  const sender = senderFor();
  for (let i = 0; i < 3; i++) {
    const { response } = await sender.send(delivery(receiver.url));
    expect(response).toMatchObject({ truncated: false });
    expect(response?.body).toHaveLength(16 * 1024);
  }
  expect(receiver.connections()).toBe(1);
});

test('does not decompress a response', async () => {
  const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024));
  const receiver = await httpReceiver((request, response) => {
    expect(request.headers).not.toHaveProperty('accept-encoding');
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  const outcome = await senderFor().send(delivery(receiver.url));
  expect(outcome).toMatchObject({ kind: 'delivered', response: { truncated: false } });
  expect(outcome.response?.body).toEqual(bomb);
});

test('does not follow a redirect', async () => {
  let visits = 0;
  const elsewhere = await httpReceiver((_request, response) => {
    visits += 1;
    response.end();
  });
  const receiver = await httpReceiver((_request, response) =>
    response.writeHead(302, { location: elsewhere.url }).end(),
  );
  const outcome = await senderFor().send(delivery(receiver.url));
  expect(outcome).toMatchObject({ kind: 'refused', response: { status: 302, headers: { location: elsewhere.url } } });
  expect(explainOutcome(outcome)?.error).toContain(new URL(elsewhere.url).origin);
  expect(visits).toBe(0);
});

test('reports connection-reset if the receiver closes without a response', async () => {
  const receiver = await tcpReceiver((socket) => socket.on('data', () => socket.destroy()));
  const outcome = await senderFor().send(delivery(receiver.url));
  expectUnreachable(outcome, 'connection-reset', /without a response/);
});

test('reports connection-reset if the receiver resets without a response', async () => {
  const receiver = await tcpReceiver((socket) => socket.on('data', () => socket.resetAndDestroy()));
  const outcome = await senderFor().send(delivery(receiver.url));
  expectUnreachable(outcome, 'connection-reset', /without a response/);
});

test.for([
  ['a known length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
  ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ['a known length and no keep-alive', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\nabc'],
  [
    'chunks and no keep-alive',
    'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n',
  ],
])('reports connection-reset with the received part for an incomplete response of %s', async ([, response = '']) => {
  const receiver = await rawReceiver(response, 'end');
  const outcome = await senderFor().send(delivery(receiver.url));
  expectUnreachable(outcome, 'connection-reset', /before its response was complete/);
  expect(outcome.response?.body.toString()).toBe('abc');
});

test('reads a response without length until the connection closes', async () => {
  const receiver = await rawReceiver('HTTP/1.0 200 OK\r\n\r\nabc', 'end');
  const outcome = await senderFor().send(delivery(receiver.url));
  expect(outcome).toMatchObject({ kind: 'delivered' });
  expect(outcome.response?.body.toString()).toBe('abc');
});

test.for([
  ['noise', '\u0000\u0001\u0002 what?'],
  ['another protocol', '220 mail.example.com ESMTP\r\n'],
  ['a TLS alert', '\u0015\u0003\u0001\u0000\u0002\u0002\u0016'],
  ['a status that is none', 'HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n'],
  ['an unsolicited upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ['a header that is none', 'HTTP/1.1 200 OK\r\n: nothing\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
])('reports a protocol error for %s', async ([, response = '']) => {
  const receiver = await rawReceiver(response);
  const outcome = await senderFor().send(delivery(receiver.url));
  expectUnreachable(outcome, 'protocol', /not valid HTTP/);
});

test('reports a protocol error for an invalid chunk', async () => {
  const receiver = await rawReceiver('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n');
  const outcome = await senderFor().send(delivery(receiver.url));
  expectUnreachable(outcome, 'protocol', /not valid HTTP/);
  expect(outcome.response?.status).toBe(200);
});

test.for([
  ['one huge header', `x: ${'y'.repeat(100_000)}\r\n`],
  ['thousands of headers', 'a-header: value\r\n'.repeat(5000)],
])('%s breaks the protocol', async ([, headers]) => {
  const receiver = await rawReceiver(`HTTP/1.1 200 OK\r\n${headers}content-length: 0\r\n\r\n`);
  const outcome = await senderFor().send(delivery(receiver.url));
  expectUnreachable(outcome, 'protocol', /longer than 16 KiB/);
});

test('reports a protocol error for endless headers', async () => {
  const receiver = await tcpReceiver((socket) => {
    const pour = () => {
      while (socket.writable && socket.write('a-header: value\r\n'.repeat(100)));
    };
    socket.write('HTTP/1.1 200 OK\r\n');
    socket.on('drain', pour);
    pour();
  });
  const outcome = await senderFor().send(delivery(receiver.url));
  expectUnreachable(outcome, 'protocol', /longer than 16 KiB/);
});

test('keeps at most 32 headers and joins repeated ones', async () => {
  const many = Array.from({ length: 100 }, (_, i) => `x-${i}: ${i}\r\n`).join('');
  const receiver = await rawReceiver(`HTTP/1.1 200 OK\r\nvary: a\r\nvary: b\r\n${many}content-length: 0\r\n\r\n`);
  const outcome = await senderFor().send(delivery(receiver.url));
  expect(outcome.kind).toBe('delivered');
  expect(Object.keys(outcome.response?.headers ?? {})).toHaveLength(32);
  expect(outcome.response?.headers).toMatchObject({ vary: 'a, b', 'x-0': '0' });
});

test('accepts headers with any names', async () => {
  const names = ['malformed', 'constructor', '__proto__'];
  const head = names.map((name) => `${name}: x\r\n`).join('');
  const receiver = await rawReceiver(`HTTP/1.1 200 OK\r\n${head}content-length: 0\r\n\r\n`);
  const outcome = await senderFor().send(delivery(receiver.url));
  expect(outcome).toMatchObject({ kind: 'delivered', response: { headers: { malformed: 'x', constructor: 'x' } } });
});

test('accepts a header of 10 KiB, but does not store it', async () => {
  const receiver = await rawReceiver(
    `HTTP/1.1 200 OK\r\nserver: s\r\nx: ${'y'.repeat(10_240)}\r\ncontent-length: 0\r\n\r\n`,
  );
  const outcome = await senderFor().send(delivery(receiver.url));
  expect(outcome).toMatchObject({ kind: 'delivered', response: { headers: { server: 's' } } });
  expect(outcome.response?.headers).not.toHaveProperty('x');
});

test.for<[string, string[]]>([
  ['100 Continue', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok']],
  ['100 in pieces', [...'HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok']],
  ['several 100s', [`${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`]],
  ['103 Early Hints', ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok']],
])('skips %s before the response', async ([, pieces]) => {
  const receiver = await tcpReceiver((socket) => {
    socket.setNoDelay(true).on('data', async () => {
      for (const piece of pieces) await new Promise((written) => socket.write(piece, written));
    });
  });
  const sender = senderFor();
  for (let i = 0; i < 2; i++) {
    const outcome = await sender.send(delivery(receiver.url));
    expect(outcome).toMatchObject({ kind: 'delivered', response: { status: 200 } });
    expect(outcome.response?.body.toString()).toBe('ok');
  }
  expect(receiver.connections()).toBe(1);
});

test.for([
  ['interim responses without end', '', 'HTTP/1.1 100 Continue\r\n\r\n', /more than 16 interim responses/],
  [
    'trailers without end',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n',
    `x: ${'y'.repeat(1000)}\r\n`,
    /trailers longer than 16 KiB/,
  ],
  [
    'chunk extensions without end',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
    `1;${'x'.repeat(2000)}\r\ny\r\n`,
    /response longer than 128 KiB/,
  ],
] as const)('rejects %s', async ([, head, repeated, detail]) => {
  const receiver = await tcpReceiver((socket) => {
    socket.once('data', () => {
      socket.write(head);
      const pour = () => {
        while (!socket.destroyed && socket.write(repeated.repeat(20)));
      };
      socket.on('drain', pour).on('error', () => {});
      pour();
    });
  });
  expectUnreachable(await senderFor().send(delivery(receiver.url)), 'protocol', detail);
  await eventually(() => receiver.sockets.size).toBe(0);
});

test('closes the connection after an unsolicited response and delivers the next event', async () => {
  const response = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
  const receiver = await rawReceiver(`${response}HTTP/1.1 500 Later\r\ncontent-length: 0\r\n\r\n`);
  const sender = senderFor();
  for (let i = 0; i < 3; i++) {
    expect(await sender.send(delivery(receiver.url))).toMatchObject({ kind: 'delivered', response: { status: 200 } });
  }
});

async function dripping(head: string, drop: string) {
  return tcpReceiver((socket) => {
    socket.setNoDelay(true).once('data', () => {
      socket.write(head);
      const drip = setInterval(() => socket.write(drop), 10);
      socket.on('close', () => clearInterval(drip));
    });
  });
}

/** Listens, but its thread sleeps: once its backlog is full, connection attempts time out. */
async function stuckReceiver(): Promise<{ port: number }> {
  const worker = new Worker(
    `const server = require('node:net').createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       require('node:worker_threads').parentPort.postMessage(server.address().port);
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000));
     });`,
    { eval: true },
  );
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = Array.from({ length: 8 }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  });
  await Promise.race(fillers.map((filler) => once(filler, 'connect')));
  return { port };
}
