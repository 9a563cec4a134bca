import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectionLimits, rejectSlowBodies, serverLimits } from './connections.ts';
import { handleClientError } from './envelope.ts';

const periodMs = 500;
let server: FastifyInstance;
let port: number;

beforeAll(async () => {
  server = fastify({
    ...connectionLimits,
    http: serverLimits,
    clientErrorHandler: handleClientError,
  } as FastifyServerOptions) as FastifyInstance;
  rejectSlowBodies(server, { periodMs, minBytes: 1 });
  server.addContentTypeParser('text/csv', (_request: unknown, payload: Readable) => text(payload));
  server.post('/', async ({ body }) => body);
  await server.listen({ host: '127.0.0.1', port: 0 });
  port = (server.server.address() as AddressInfo).port;
});
afterAll(() => server.close());

async function post(length: number) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: text/csv\r\ncontent-length: ${length}\r\n\r\n`,
  );
  return { socket, response: text(socket) };
}

test('accepts a body that takes several periods', async () => {
  const { socket, response } = await post(30);
  for (let sent = 0; sent < 10; sent += 1) {
    await setTimeout(periodMs / 5);
    socket.write('abc');
  }
  expect(await response).toMatch(/^HTTP\/1.1 200 .*(abc){10}$/s);
});

test('ends a request whose body stalls', async () => {
  const { socket, response } = await post(30);
  socket.write('abcabcabcabc');
  expect(await response).toMatch(/^HTTP\/1.1 408 .*The request did not arrive in time/s);
});

test('sets no time limit for the whole body', () => {
  expect(server.server.requestTimeout).toBe(0);
  expect(server.server.headersTimeout).toBeLessThan(30_000);
});
