import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { createCertificate, trustedAuthority, weakCertificate } from '../../../test/support/certificates.ts';
import {
  delivery,
  eventually,
  httpReceiver,
  rawReceiver,
  senderFor,
  startListening,
  tcpReceiver,
  tlsReceiver,
} from '../../../test/support/loopback-receivers.ts';
import { EgressProxy } from './egress-proxy.ts';

const trusted = trustedAuthority();
const publicAddress = '93.184.216.34';
const policy = { allow: [], requireHttps: false };

function proxied(url: string, timeoutMs = 5000) {
  return senderFor({ policy, timeoutMs, proxy: new EgressProxy(new URL(url)) });
}

/** A proxy that connects each request to a port of loopback, whatever its address. */
async function startProxy(respond: (socket: Duplex, request: http.IncomingMessage) => void) {
  const requests: { target: string | undefined; host: string | undefined; credentials: string | undefined }[] = [];
  const server = http.createServer((_request, response) => response.writeHead(400).end());
  server.on('connect', (request, socket) => {
    const { host, 'proxy-authorization': credentials } = request.headers;
    requests.push({ target: request.url, host, credentials });
    socket.on('error', () => {});
    respond(socket, request);
  });
  return { ...(await startListening(server, 'http')), requests };
}

const tunnelTo = (port: number) => (socket: Duplex) => {
  const upstream = net.connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on('error', () => socket.destroy());
  socket.on('close', () => upstream.destroy());
};

test('delivers through the proxy with its credentials, on one connection', async () => {
  const receiver = await httpReceiver((request, response) => response.end(`${request.headers.host}${request.url}`));
  const proxy = await startProxy(tunnelTo(receiver.port));
  const sender = proxied(`http://waypost:p%40ss@127.0.0.1:${proxy.port}`);
  const outcomes = [
    await sender.send(delivery(`http://${publicAddress}:8080/hook`)),
    await sender.send(delivery(`http://${publicAddress}:8080/hook`)),
  ];
  const response = { status: 200, body: Buffer.from(`${publicAddress}:8080/hook`) };
  expect(outcomes).toMatchObject([
    { kind: 'delivered', response, phases: { connectMs: expect.any(Number) } },
    { kind: 'delivered', response },
  ]);
  const target = `${publicAddress}:8080`;
  const credentials = `Basic ${Buffer.from('waypost:p@ss').toString('base64')}`;
  expect(proxy.requests).toEqual([{ target, host: target, credentials }]);
});

test('checks the certificate of the receiver, and takes the default port of https', async () => {
  const valid = await createCertificate({ address: publicAddress, issuer: trusted.authority });
  const receiver = await tlsReceiver(valid);
  const proxy = await startProxy(tunnelTo(receiver.port));
  const sender = proxied(`http://127.0.0.1:${proxy.port}`);
  expect(await sender.send(delivery(`https://${publicAddress}/`))).toMatchObject({
    kind: 'delivered',
    phases: { connectMs: expect.any(Number), tlsMs: expect.any(Number) },
  });
  expect(await sender.send(delivery('https://93.184.216.35/'))).toMatchObject({
    reason: 'tls',
    detail: 'The certificate of the receiver is for another host name.',
  });
  expect(proxy.requests.map(({ target }) => target)).toEqual([`${publicAddress}:443`, '93.184.216.35:443']);
  await eventually(() => proxy.sockets.size).toBe(1);
});

test('closes the connection to the proxy if the client certificate cannot be used', async () => {
  const receiver = await tlsReceiver(await createCertificate({ address: publicAddress, issuer: trusted.authority }));
  const proxy = await startProxy(tunnelTo(receiver.port));
  const { key, cert } = weakCertificate;
  const outcome = await proxied(`http://127.0.0.1:${proxy.port}`).send({
    ...delivery(`https://${publicAddress}/`),
    identity: { id: cert, chain: cert, privateKey: key },
  });
  expect(outcome).toMatchObject({ reason: 'tls', detail: expect.stringContaining('KEY_TOO_SMALL') });
  expect(proxy.requests).toHaveLength(1);
  await eventually(() => proxy.sockets.size).toBe(0);
});

test('connects to the proxy itself over TLS', async () => {
  const { key, cert } = await createCertificate({ issuer: trusted.authority });
  const proxy = await tlsReceiver({ key, cert });
  const sender = proxied(`https://localhost:${proxy.port}`);
  // The proxy responds to CONNECT and to the request in it.
  expect(await sender.send(delivery(`http://${publicAddress}/`))).toMatchObject({ kind: 'delivered' });
});

test('writes IPv6 addresses in brackets', async () => {
  const receiver = await httpReceiver((_request, response) => response.end());
  const proxy = await startProxy(tunnelTo(receiver.port));
  await proxied(`http://127.0.0.1:${proxy.port}`).send(delivery('http://[2606:4700::1111]:8080/'));
  expect(proxy.requests.map(({ target }) => target)).toEqual(['[2606:4700::1111]:8080']);
});

test('guards addresses before the proxy is asked, and reaches allowed ranges directly', async () => {
  const receiver = await httpReceiver((_request, response) => response.end());
  const proxy = await startProxy(tunnelTo(receiver.port));
  expect(await proxied(`http://127.0.0.1:${proxy.port}`).send(delivery(receiver.url))).toMatchObject({
    reason: 'guarded',
  });
  const direct = senderFor({ proxy: new EgressProxy(new URL(`http://127.0.0.1:${proxy.port}`)) });
  expect(await direct.send(delivery(receiver.url))).toMatchObject({ kind: 'delivered' });
  expect(proxy.requests).toEqual([]);
});

test.for([
  [403, 'The egress proxy does not allow connections to the receiver (403 Forbidden).'],
  [502, 'The egress proxy could not connect to the receiver (502 Bad Gateway).'],
  [503, 'The egress proxy could not connect to the receiver (503 Service Unavailable).'],
  [504, 'The egress proxy could not connect to the receiver in time (504 Gateway Timeout).'],
] as const)('counts %i of the proxy against the receiver', async ([status, detail]) => {
  const proxy = await rawReceiver(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`);
  const outcome = await proxied(proxy.url.replace('/hook', '')).send(delivery(`http://${publicAddress}/`));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'unreachable', detail });
  expect(outcome).not.toHaveProperty('isLocalFailure');
  await eventually(() => proxy.sockets.size).toBe(0);
});

test.for([
  ['407', 'HTTP/1.1 407 X\r\n\r\n', /rejected the credentials of this service \(407/],
  ['400', 'HTTP/1.1 400 X\r\n\r\n', /rejected the connection \(400 Bad Request\)/],
  ['an interim response', 'HTTP/1.1 100 X\r\n\r\n', /rejected the connection \(100 Continue\)/],
  ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', /did not respond with HTTP\/1\.1/],
  ['endless headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`, /headers are too long/],
] as const)('%s is a local failure', async ([, bytes, detail]) => {
  const proxy = await rawReceiver(bytes);
  const outcome = await proxied(proxy.url.replace('/hook', '')).send(delivery(`http://${publicAddress}/`));
  expect(outcome).toMatchObject({ isLocalFailure: true, detail: expect.stringMatching(detail) });
  await eventually(() => proxy.sockets.size).toBe(0);
});

test('a proxy that closes or refuses connections is a local failure', async () => {
  const closing = await tcpReceiver((socket) => socket.end());
  const sender = proxied(`http://127.0.0.1:${closing.port}`);
  expect(await sender.send(delivery(`http://${publicAddress}/`))).toMatchObject({ isLocalFailure: true });
  const refusing = proxied('http://127.0.0.1:1');
  expect(await refusing.send(delivery(`http://${publicAddress}/`))).toMatchObject({
    isLocalFailure: true,
    detail: 'The egress proxy cannot be reached (ECONNREFUSED).',
  });
});

test('a timeout counts against the receiver only if the proxy responds to other requests', async () => {
  const detail = 'The egress proxy did not connect to the receiver within 0.2 s.';
  const waiting = await startProxy(() => {});
  const slow = await proxied(`http://127.0.0.1:${waiting.port}`, 200).send(delivery(`http://${publicAddress}/`));
  expect(slow).toMatchObject({ kind: 'unreachable', reason: 'timeout', detail });
  expect(slow).not.toHaveProperty('isLocalFailure');
  const hanging = await tcpReceiver((socket) => socket.resume());
  const stuck = await proxied(`http://127.0.0.1:${hanging.port}`, 200).send(delivery(`http://${publicAddress}/`));
  expect(stuck).toMatchObject({ reason: 'timeout', detail, isLocalFailure: true });
  await eventually(() => hanging.sockets.size).toBe(0);
});

test('token requests use the proxy too', async () => {
  const receiver = await httpReceiver((request, response) =>
    request.url === '/token'
      ? response.setHeader('content-type', 'application/json').end('{"access_token":"t1","token_type":"Bearer"}')
      : response.end(request.headers.authorization),
  );
  const proxy = await startProxy(tunnelTo(receiver.port));
  const oauth = {
    tokenUrl: `http://${publicAddress}/token`,
    clientId: 'a',
    clientSecret: 'b',
    authMethod: 'client_secret_basic' as const,
  };
  const outcome = await proxied(`http://127.0.0.1:${proxy.port}`).send({
    ...delivery(`http://${publicAddress}:8080/`),
    oauth,
  });
  expect(outcome).toMatchObject({ kind: 'delivered', response: { body: Buffer.from('Bearer t1') } });
  expect(proxy.requests.map(({ target }) => target)).toEqual([`${publicAddress}:80`, `${publicAddress}:8080`]);
});
