import tls from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { delivery, senderFor, tcpReceiver, tlsReceiver } from '../../../test/support/loopback-receivers.ts';

type Authority = Awaited<ReturnType<typeof generate>>;
const usualAuthorities = tls.getCACertificates('default');
const day = 24 * 60 * 60 * 1000;
let authority: Authority;

beforeAll(async () => {
  authority = await generate([{ name: 'commonName', value: 'Test authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  tls.setDefaultCACertificates([...usualAuthorities, authority.cert]);
});
afterAll(() => tls.setDefaultCACertificates(usualAuthorities));

async function certificate(options: { name?: string; address?: string; until?: Date; selfSigned?: boolean } = {}) {
  const { name = 'localhost', address, until = new Date(Date.now() + day), selfSigned = false } = options;
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(until.getTime() - 30 * day),
    notAfterDate: until,
    extensions: [{ name: 'subjectAltName', altNames: [address ? { type: 7, ip: address } : { type: 2, value: name }] }],
    ...(selfSigned ? {} : { ca: { key: authority.private, cert: authority.cert } }),
  });
  return { key, cert };
}

async function sendToLocalhost(options: tls.TlsOptions) {
  const { port } = await tlsReceiver(options);
  return senderFor().send(delivery(`https://localhost:${port}/`));
}

test('delivers over TLS 1.2 or 1.3 to a receiver with a valid certificate and measures the handshake', async () => {
  const valid = await certificate();
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const outcome = await sendToLocalhost({ ...valid, minVersion: version, maxVersion: version });
    expect(outcome).toMatchObject({ kind: 'delivered', phases: { tlsMs: expect.toSatisfy((ms: number) => ms > 0) } });
  }
});

test('sends the server name and offers HTTP/1.1', async () => {
  const names: unknown[] = [];
  const receiver = await tlsReceiver({
    ...(await certificate()),
    ALPNCallback: ({ servername, protocols }) => {
      names.push(servername, protocols);
      return 'http/1.1';
    },
  });
  await senderFor().send(delivery(`https://localhost.:${receiver.port}/`));
  expect(names).toEqual(['localhost', ['http/1.1']]);
});

test('accepts a certificate for the IP address, not for another one', async () => {
  const right = await tlsReceiver(await certificate({ address: '127.0.0.1' }));
  const wrong = await tlsReceiver(await certificate({ address: '127.0.0.9' }));
  expect(await senderFor().send(delivery(right.url))).toMatchObject({ kind: 'delivered' });
  expect(await senderFor().send(delivery(wrong.url))).toMatchObject({ kind: 'unreachable', reason: 'tls' });
});

test.for([
  ['that signed itself', { selfSigned: true }, /self-signed/],
  ['that has expired', { until: new Date(Date.now() - day) }, /has expired/],
  ['for another name', { name: 'elsewhere.example' }, /another host name/],
] as const)('rejects a certificate %s', async ([, options, detail]) => {
  const outcome = await sendToLocalhost(await certificate(options));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'tls', detail: expect.stringMatching(detail) });
});

test('rejects a certificate of an unknown authority', async () => {
  const valid = await certificate();
  tls.setDefaultCACertificates(usualAuthorities);
  try {
    expect(await sendToLocalhost(valid)).toMatchObject({ kind: 'unreachable', reason: 'tls' });
  } finally {
    tls.setDefaultCACertificates([...usualAuthorities, authority.cert]);
  }
});

test('rejects a receiver with TLS 1.1 only', async () => {
  const outcome = await sendToLocalhost({
    ...(await certificate()),
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  expect(outcome).toMatchObject({ reason: 'tls', detail: 'The receiver supports neither TLS 1.2 nor TLS 1.3.' });
});

test('reports a receiver without TLS', async () => {
  const { port } = await tcpReceiver((socket) =>
    socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  const outcome = await senderFor().send(delivery(`https://localhost:${port}/`));
  expect(outcome).toMatchObject({ reason: 'tls', detail: 'The receiver does not use TLS on this port.' });
});

test('rejects a receiver with HTTP/2 only', async () => {
  const outcome = await sendToLocalhost({ ...(await certificate()), ALPNProtocols: ['h2'] });
  expect(outcome).toMatchObject({ reason: 'tls', detail: 'The receiver does not offer HTTP/1.1 over TLS.' });
});

test('reports connection-reset if the receiver closes during the handshake', async () => {
  const { port } = await tcpReceiver((socket) => socket.on('data', () => socket.destroy()));
  const outcome = await senderFor().send(delivery(`https://localhost:${port}/`));
  expect(outcome).toMatchObject({ reason: 'connection-reset', detail: expect.stringMatching(/TLS handshake/) });
});
