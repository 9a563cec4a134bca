import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished } from 'vitest';
import type { TargetPolicy } from '../../src/events/transport/address-guard.ts';
import { Sender } from '../../src/events/transport/sender.ts';

/** Real receivers on loopback for tests, closed when the test finishes. */

export const loopbackOpen: TargetPolicy = { allow: ['127.0.0.0/8', '::1/128'], requireHttps: false };

interface Receiver {
  port: number;
  url: string;
  /** Number of accepted connections. */
  connections(): number;
  /** Open connections. */
  sockets: Set<net.Socket>;
}

export function httpReceiver(response: http.RequestListener): Promise<Receiver> {
  return startListening(http.createServer(response), 'http');
}

export function tcpReceiver(onConnection: (socket: net.Socket) => void): Promise<Receiver> {
  return startListening(net.createServer(onConnection), 'http');
}

/** Sends the same bytes in response to each request. */
export function rawReceiver(response: string | Buffer, after: 'keep' | 'end' = 'keep'): Promise<Receiver> {
  return tcpReceiver((socket) => {
    socket.on('data', () => {
      if (after === 'end') socket.end(response);
      else socket.write(response);
    });
  });
}

export function tlsReceiver(
  options: tls.TlsOptions,
  onRequest: (socket: tls.TLSSocket) => void = () => {},
): Promise<Receiver> {
  const server = tls.createServer(options, (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      onRequest(socket);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  });
  return startListening(server, 'https');
}

export function senderFor(options: Partial<ConstructorParameters<typeof Sender>[0]> = {}) {
  const sender = new Sender({ policy: loopbackOpen, timeoutMs: 5000, connectionsPerHost: 8, ...options });
  onTestFinished(() => sender.close());
  return sender;
}

export function delivery(url: string, body = '{"event":{}}') {
  return { url, headers: { 'content-type': 'application/json' }, body };
}

/** Waits for a condition. */
export function eventually<T>(read: () => T) {
  return expect.poll(read, { interval: 20 });
}

export async function startListening(server: net.Server, scheme: string): Promise<Receiver> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  server.on('connection', (socket: net.Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `${scheme}://127.0.0.1:${port}/hook`, connections: () => connections, sockets };
}
