import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { AlertScene } from '../support/alert-scene.ts';
import { type Certificate, createCertificate, trustedAuthority, weakCertificate } from '../support/certificates.ts';
import { DeliveryScene } from '../support/delivery-scene.ts';
import { eventually, tlsReceiver } from '../support/loopback-receivers.ts';

const path = '/api/sales-partners/webhooks';
const day = 24 * 60 * 60 * 1000;
const trusted = trustedAuthority();

const inDays = (days: number) => new Date(Date.now() + days * day);
const clientCertificate = ({ cert, key }: Certificate) => ({ certificate: cert, privateKey: key });
const client = async (name: string, until = inDays(300)) =>
  clientCertificate(await createCertificate({ name, until, issuer: trusted.authority }));

/** A receiver that requires client certificates. Returns the names in them. */
async function mutualReceiver() {
  const names: unknown[] = [];
  const certificate = await createCertificate({ issuer: trusted.authority });
  const { port } = await tlsReceiver(
    { ...certificate, ca: trusted.authority.cert, requestCert: true, rejectUnauthorized: true },
    (socket) => names.push(socket.getPeerCertificate().subject.CN),
  );
  return { url: `https://localhost:${port}/hook`, names };
}

test('delivers with the client certificate of the webhook, and never shows its key', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await mutualReceiver();
  const webhook = await scene.webhook(receiver.url, { clientCertificate: await client('shop') });
  expect(await scene.get(webhook)).toMatchObject({
    clientCertificate: {
      subject: 'CN=shop',
      issuer: 'CN=Test authority',
      fingerprint: expect.stringMatching(/^[\da-f]{64}$/),
      notAfter: expect.stringMatching(/Z$/),
    },
  });
  scene.worker();
  await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED']);
  await scene.change(webhook, { clientCertificate: await client('crm') });
  await scene.record();
  await eventually(() => scene.verdicts(webhook)).toEqual(['DELIVERED', 'DELIVERED']);
  expect(await scene.partner.call('POST', `${path}/${webhook.id}/test`)).toMatchObject({
    body: { response: { delivered: true } },
  });
  expect(receiver.names).toEqual(['shop', 'crm', 'crm']);
  const { rows } = await scene.api.database.pool.query(
    `select webhooks::text || audit_trail::text as stored, encode(client_key, 'escape') as key
     from webhooks, audit_trail`,
  );
  for (const { stored, key } of rows) expect(stored + key).not.toContain('PRIVATE KEY');
  const { clientCertificate } = await scene.get(webhook);
  const audited = await scene.api.database.pool.query("select details from audit_trail where action = 'UPDATED'");
  expect(audited.rows).toEqual([{ details: { clientCertificate: clientCertificate.fingerprint } }]);
  await scene.change(webhook, { clientCertificate: null });
  expect(await scene.get(webhook)).not.toHaveProperty('clientCertificate');
  const { body } = await scene.partner.call('POST', `${path}/${webhook.id}/test`);
  expect(body.response).toMatchObject({ reason: 'TLS', error: 'The receiver requires a client certificate.' });
});

test('a new type of a destination gets its client certificate', async () => {
  const scene = await DeliveryScene.open();
  const receiver = await mutualReceiver();
  await scene.webhook(receiver.url, { clientCertificate: await client('shop') });
  const query = new URLSearchParams({ pushUrl: receiver.url });
  const { body } = await scene.partner.call('PATCH', `${path}/destinations?${query}`, {
    types: ['LOCATION_CREATED', 'BUSINESS_CREATED'],
  });
  for (const { id } of body.response.webhooks) await scene.partner.call('POST', `${path}/${id}/test`);
  expect(receiver.names).toEqual(['shop', 'shop']);
});

test('warns from 30 days before the certificate expires, also with an alert', async () => {
  const alerts = await AlertScene.open();
  const { scene } = alerts;
  const pushUrl = 'https://127.0.0.1:9/';
  const webhook = await scene.webhook(pushUrl, { clientCertificate: await client('shop', inDays(31)) });
  expect((await scene.get(webhook)).clientCertificate).not.toHaveProperty('warning');
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual([]);
  await scene.change(webhook, { clientCertificate: await client('shop', inDays(29)) });
  const { notAfter, warning } = (await scene.get(webhook)).clientCertificate;
  expect(warning).toContain(`expires on ${notAfter.slice(0, 10)}`);
  await alerts.findAlerts();
  expect(await alerts.alerts('?state=OPEN')).toMatchObject([{ cause: 'CERTIFICATE_EXPIRES', deadline: notAfter }]);
  await scene.change(webhook, { clientCertificate: await client('shop') });
  await alerts.findAlerts();
  expect(await alerts.causes(webhook)).toEqual([]);
});

test('accepts a chain in order, and RSA keys from 2048 bits', async () => {
  const scene = await DeliveryScene.open();
  const middle = await createCertificate({ name: 'Middle', issuer: trusted.authority, isAuthority: true });
  const leaf = await createCertificate({ name: 'shop', issuer: middle });
  const certificate = `Bag Attributes\n${leaf.cert}\n${middle.cert}\r\n${trusted.authority.cert}`;
  const settings = { clientCertificate: { certificate, privateKey: leaf.key } };
  const webhook = await scene.webhook('https://127.0.0.1:9/', settings);
  expect(await scene.get(webhook)).toMatchObject({ clientCertificate: { subject: 'CN=shop', issuer: 'CN=Middle' } });
  const rsa = clientCertificate(await createCertificate({ name: 'rsa', rsaBits: 2048 }));
  await scene.change(webhook, { clientCertificate: rsa });
  expect(await scene.get(webhook)).toMatchObject({ clientCertificate: { subject: 'CN=rsa' } });
});

test.each<[string, string, string, () => Promise<object>]>([
  ['no PEM', 'certificate', 'format', async () => ({ ...(await client('a')), certificate: 'shop' })],
  [
    'an unreadable certificate',
    'certificate',
    'format',
    async () => ({
      ...(await client('a')),
      certificate: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    }),
  ],
  ['an expired certificate', 'certificate', 'expired', () => client('a', inDays(-1))],
  [
    'a chain in the wrong order',
    'certificate',
    'chain',
    async () => {
      const { certificate, privateKey } = await client('a');
      return { certificate: certificate + (await client('b')).certificate, privateKey };
    },
  ],
  [
    'more than 10 certificates',
    'certificate',
    'maxItems',
    async () => {
      const { certificate, privateKey } = await client('a');
      return { certificate: certificate.repeat(11), privateKey };
    },
  ],
  [
    'a certificate that is too long',
    'certificate',
    'maxLength',
    async () => ({ ...(await client('a')), certificate: 'x'.repeat(40_000) }),
  ],
  [
    'the key of another certificate',
    'privateKey',
    'match',
    async () => ({ ...(await client('a')), privateKey: (await client('b')).privateKey }),
  ],
  ['no key', 'privateKey', 'format', async () => ({ ...(await client('a')), privateKey: 'secret' })],
  [
    'an encrypted key',
    'privateKey',
    'encrypted',
    async () => {
      const { certificate, privateKey } = await client('a');
      const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
      return { certificate, privateKey: createPrivateKey(privateKey).export(options) };
    },
  ],
  [
    'a short RSA key',
    'privateKey',
    'type',
    async () => clientCertificate(await createCertificate({ name: 'a', rsaBits: 1024 })),
  ],
  [
    'a long RSA key',
    'privateKey',
    'type',
    async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4104 });
      return { ...(await client('a')), privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
    },
  ],
  ['a key on a weak curve', 'certificate', 'strength', async () => clientCertificate(weakCertificate)],
  [
    'a weak key of an issuer',
    'certificate',
    'strength',
    async () => {
      const issuer = await createCertificate({ name: 'Weak', isAuthority: true, rsaBits: 1024 });
      const { cert, key } = await createCertificate({ name: 'a', issuer, rsaBits: 2048 });
      return { certificate: cert + issuer.cert, privateKey: key };
    },
  ],
])('rejects %s', { timeout: 120_000 }, async (_, part, rule, given) => {
  const scene = await DeliveryScene.open();
  const body = { pushUrl: 'https://127.0.0.1:9/', type: 'LOCATION_CREATED', clientCertificate: await given() };
  const rejected = await scene.partner.call('POST', path, body);
  expect(rejected).toMatchObject({ code: 400, body: { errors: [{ field: `clientCertificate.${part}`, rule }] } });
  expect(JSON.stringify(rejected.body)).not.toContain('MII');
});

test('requires https, also when the push URL changes', async () => {
  const scene = await DeliveryScene.open();
  const settings = { type: 'LOCATION_CREATED', clientCertificate: await client('shop') };
  const error = { code: 400, body: { errors: [{ field: 'clientCertificate', rule: 'https' }] } };
  expect(await scene.partner.call('POST', path, { ...settings, pushUrl: 'http://127.0.0.1:9/' })).toMatchObject(error);
  const { id } = await scene.webhook('https://127.0.0.1:9/', settings);
  const change = { pushUrl: 'http://127.0.0.1:9/' };
  expect(await scene.partner.call('PATCH', `${path}/${id}`, change)).toMatchObject(error);
  const removed = { ...change, clientCertificate: null };
  expect(await scene.partner.call('PATCH', `${path}/${id}`, removed)).toMatchObject({ code: 200 });
});
