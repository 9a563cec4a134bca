import type tls from 'node:tls';
import { expect, test } from 'vitest';
import {
  type Certificate,
  createCertificate,
  trustedAuthority,
  weakCertificate,
} from '../../../test/support/certificates.ts';
import { delivery, senderFor, tlsReceiver } from '../../../test/support/loopback-receivers.ts';
import type { ClientIdentity } from '../signing/webhook-credentials.ts';

const trusted = trustedAuthority();
const identityOf = ({ key, cert }: Certificate): ClientIdentity => ({ id: cert, chain: cert, privateKey: key });
const client = (name: string) => createCertificate({ name, issuer: trusted.authority });

/** A receiver that requires client certificates of the authority, and records whose connection each request used. */
async function mutualReceiver(options: tls.TlsOptions = {}) {
  const seen: { name: string; isResumed: boolean }[] = [];
  const receiver = await tlsReceiver(
    {
      ...(await createCertificate({ issuer: trusted.authority })),
      ca: trusted.authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
      ...options,
    },
    (socket) =>
      seen.push({ name: String(socket.getPeerCertificate().subject?.CN), isResumed: socket.isSessionReused() }),
  );
  return { ...receiver, url: `https://localhost:${receiver.port}/hook`, seen };
}

test.for(['TLSv1.2', 'TLSv1.3'] as const)('authenticates with a client certificate over %s', async (version) => {
  const receiver = await mutualReceiver({ minVersion: version, maxVersion: version });
  const sender = senderFor();
  const identity = identityOf(await client('shop'));
  for (let i = 0; i < 2; i++) {
    expect(await sender.send({ ...delivery(receiver.url), identity })).toMatchObject({ kind: 'delivered' });
  }
  expect(receiver.seen.map(({ name }) => name)).toEqual(['shop', 'shop']);
  expect(receiver.connections()).toBe(1);
});

test('webhooks with different certificates share neither connections nor TLS sessions', async () => {
  const receiver = await mutualReceiver({ rejectUnauthorized: false });
  const sender = senderFor();
  const [shop, crm] = [identityOf(await client('shop')), identityOf(await client('crm'))];
  for (const identity of [shop, crm, undefined, shop, crm, undefined]) {
    expect(await sender.send({ ...delivery(receiver.url), identity })).toMatchObject({ kind: 'delivered' });
  }
  expect(receiver.seen.map(({ name }) => name)).toEqual(['shop', 'crm', 'undefined', 'shop', 'crm', 'undefined']);
  expect(receiver.seen.some(({ isResumed }) => isResumed)).toBe(false);
  expect(receiver.connections()).toBe(3);
});

test('does not send the client certificate to the token server', async () => {
  const receiver = await mutualReceiver({ rejectUnauthorized: false });
  const tokenUrl = receiver.url;
  const oauth = { tokenUrl, clientId: 'a', clientSecret: 'b', authMethod: 'client_secret_basic' as const };
  const identity = identityOf(await client('shop'));
  const outcome = await senderFor().send({ ...delivery(receiver.url), oauth, identity });
  expect(outcome).toMatchObject({ reason: 'token' });
  expect(receiver.seen.map(({ name }) => name)).toEqual(['undefined']);
});

test.for(['TLSv1.2', 'TLSv1.3'] as const)('reports a receiver that requires a certificate over %s', async (version) => {
  const receiver = await mutualReceiver({ minVersion: version, maxVersion: version });
  const outcome = await senderFor().send(delivery(receiver.url));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'tls' });
  if (version === 'TLSv1.3') expect(outcome).toMatchObject({ detail: 'The receiver requires a client certificate.' });
});

test('reports a receiver that does not trust the certificate', async () => {
  const receiver = await mutualReceiver();
  const identity = identityOf(await createCertificate({ name: 'stranger' }));
  const outcome = await senderFor().send({ ...delivery(receiver.url), identity });
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: expect.stringMatching(/^(tls|connection-reset)$/) });
  expect(receiver.seen).toEqual([]);
});

test('reports a certificate that is too weak for TLS', async () => {
  const receiver = await mutualReceiver({ rejectUnauthorized: false });
  const issuer = await createCertificate({ name: 'Weak', isAuthority: true, rsaBits: 1024 });
  const leaf = await createCertificate({ name: 'shop', issuer, rsaBits: 2048 });
  const weak = [weakCertificate, { ...leaf, cert: `${leaf.cert}\n${issuer.cert}` }];
  const sender = senderFor();
  for (const identity of weak.map(identityOf)) {
    const outcome = await sender.send({ ...delivery(receiver.url), identity });
    expect(outcome).toMatchObject({ reason: 'tls', detail: expect.stringContaining('KEY_TOO_SMALL') });
  }
  expect(await sender.send(delivery(receiver.url))).toMatchObject({ kind: 'delivered' });
});
