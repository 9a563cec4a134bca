import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { verifyDelivery } from '../../../receiver/receiver.ts';
import { TestApi } from '../../../test/support/api.ts';
import { createCertificate } from '../../../test/support/certificates.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import type { ReceivedRequest } from '../../../test/support/delivery.ts';
import { DeliveryScene } from '../../../test/support/delivery-scene.ts';
import { eventually } from '../../../test/support/loopback-receivers.ts';
import type { Database } from '../../database/connection.ts';
import { Sealer } from '../../events/signing/sealer.ts';
import { openWebhookSecret } from '../../events/signing/webhook-credentials.ts';
import { createPartner } from '../../modules/accounts/partners/partner-store.ts';
import { reseal } from './reseal.ts';
import { countSealedValues, sealedColumns } from './sealed-columns.ts';

const path = '/api/sales-partners/webhooks';

/** A sealer before and after a rotation. */
function rotation() {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const before = new Sealer(first);
  const after = new Sealer(second, { others: [first], unmarked: before.current.fingerprint });
  return { before, after, second };
}

/** All values by column, opened: secrets with their Ed25519 keys. */
async function openedValues({ pool }: Database, sealer: Sealer): Promise<Record<string, object[]>> {
  // Nothing is sealed by this key, so all values are found.
  const none = new Sealer(randomBytes(32), { unmarked: sealer.unmarked });
  const columns = sealedColumns.map(async (column) => {
    const found = await column.findOthers(pool, none, column.firstKey);
    const values = found.map(({ rowKey, sealed }) => ({ rowKey, ...openWebhookSecret(sealer, sealed) }));
    const isSecret = column.name.endsWith('secret') && column.name !== 'oauth_secret';
    return [
      `${column.table}.${column.name}`,
      isSecret ? values : values.map(({ seed: _, ...value }) => value),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(columns));
}

test('values, public keys, signatures and repeated responses stay the same', { timeout: 60_000 }, async () => {
  const { before, after } = rotation();
  const scene = await DeliveryScene.open(before);
  const { database } = scene.api;
  const receiver = await scene.receiver();
  const { cert, key } = await createCertificate();
  const webhook = await scene.webhook(receiver.url(), {
    asymmetricSignature: true,
    headers: { 'x-api-key': 'hidden' },
  });
  await scene.webhook('https://127.0.0.1:1/certificate', {
    clientCertificate: { certificate: cert, privateKey: key },
    oauth: { tokenUrl: 'https://127.0.0.1:1/token', clientId: 'waypost', clientSecret: 'hidden' },
    enabled: false,
  });
  await scene.webhook('amqp://user:hidden@127.0.0.1:1?queue=any', { enabled: false });
  const { body: rotated } = await scene.partner.call('POST', `${path}/${webhook.id}/rotate-secret`, {
    overlapHours: 1,
  });
  const created = { pushUrl: receiver.url('/other'), type: 'BUSINESS_CREATED' };
  const headers = { 'idempotency-key': 'create' };
  const first = await scene.partner.call('POST', path, created, headers);
  const worker = scene.worker();
  await scene.record();
  await eventually(() => receiver.requests).toHaveLength(1);
  await worker.stop();
  const { publicKeysPath } = await scene.get(webhook);
  const publicKeys = (await scene.api.server.inject(publicKeysPath)).json().keys;
  const values = await openedValues(database, before);
  // Otherwise this test says nothing about a column.
  for (const column of Object.keys(values)) expect([column, values[column]?.length]).not.toEqual([column, 0]);
  const total = Object.values(values).flat().length;

  expect(await reseal(database.pool, after)).toEqual({ resealed: total, changed: 0, failed: {}, isFinished: true });
  expect(await countSealedValues(database.pool, after.unmarked)).toEqual(new Map([[after.current.fingerprint, total]]));
  expect(await openedValues(database, after)).toEqual(values);
  expect(await reseal(database.pool, after)).toMatchObject({ resealed: 0 });

  const api = await TestApi.start({}, database, undefined, undefined, after);
  onTestFinished(() => api.server.close());
  expect((await api.server.inject(publicKeysPath)).json().keys).toEqual(publicKeys);
  const repeated = await api.call('POST', path, created, { privateKey: scene.partner.privateKey, ...headers });
  expect(repeated.body).toEqual(first.body);
  const other = await api.call(
    'POST',
    path,
    { ...created, description: 'x' },
    { privateKey: scene.partner.privateKey, ...headers },
  );
  expect(other.code).toBe(409);
  scene.worker({}, { sealer: after });
  await scene.record();
  await eventually(() => receiver.requests).toHaveLength(2);
  const { headers: sent, body } = receiver.requests[1] as ReceivedRequest;
  const whpk = publicKeys.map((publicKey: { whpk: string }) => publicKey.whpk);
  for (const keys of [
    { publicKeys: whpk[0] },
    { publicKeys: whpk[1] },
    { secret: webhook.secret },
    { secret: rotated.response.secret },
    { privateKey: scene.partner.privateKey },
  ])
    expect(verifyDelivery({ body, headers: sent, ...keys })).toBeDefined();
  expect(sent['x-api-key']).toBe('hidden');
});

async function sealedKeyOf({ pool }: Database, id: number): Promise<Buffer> {
  return (await pool.query('select sealed from partner_keys where partner_id = $1', [id])).rows[0].sealed;
}

test('a value that changes meanwhile is kept', async () => {
  const { before, after } = rotation();
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const { partner } = await createPartner(database.pool, before, { identifier: 'acme', name: 'Acme' });
  const changed = before.seal('changed');
  const resealing = await database.transaction(async (transaction) => {
    await transaction.query('update partner_keys set sealed = $1 where partner_id = $2', [changed, partner.id]);
    const running = reseal(database.pool, after);
    const waiting = async () => (await database.pool.query('select from pg_locks where not granted')).rows.length;
    await expect.poll(waiting).toBe(1);
    return { running };
  });
  expect(await resealing.running).toMatchObject({ resealed: 0, changed: 1 });
  expect(await sealedKeyOf(database, partner.id)).toEqual(changed);
  expect(await reseal(database.pool, after)).toMatchObject({ resealed: 1, changed: 0 });
  expect(after.open(await sealedKeyOf(database, partner.id))).toBe('changed');
});

test('reports values of missing keys and damaged values, and re-seals the others', async () => {
  const { before, after, second } = rotation();
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const other = new Sealer(randomBytes(32), { unmarked: before.current.fingerprint });
  const ids: number[] = [];
  for (const [index, sealer] of [other, before, before].entries()) {
    const { partner } = await createPartner(database.pool, sealer, { identifier: `p${index}`, name: 'P' });
    ids.push(partner.id);
  }
  const [, damaged = 0, good = 0] = ids;
  await database.pool.query('update partner_keys set sealed = $1 where partner_id = $2', [randomBytes(60), damaged]);
  expect(await reseal(database.pool, after)).toEqual({
    resealed: 1,
    changed: 0,
    failed: { [other.current.fingerprint]: 1, damaged: 1 },
    isFinished: true,
  });
  const alone = new Sealer(second, { unmarked: before.current.fingerprint });
  expect(alone.open(await sealedKeyOf(database, good))).toMatch(/^[\w-]+$/);
});

test('returns to the first key', async () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const database = await createTestDatabase();
  onTestFinished(() => database.close());
  const unmarked = new Sealer(first).current.fingerprint;
  const forth = new Sealer(second, { others: [first], unmarked });
  const back = new Sealer(first, { others: [second], unmarked });
  await createPartner(database.pool, back, { identifier: 'acme', name: 'Acme' });
  for (const sealer of [forth, back, forth]) {
    await reseal(database.pool, sealer);
    expect(await countSealedValues(database.pool, unmarked)).toEqual(new Map([[sealer.current.fingerprint, 1]]));
  }
});

test('a worker without the key of a webhook names it and keeps its deliveries', async () => {
  const { before, after } = rotation();
  const scene = await DeliveryScene.open(before);
  const receiver = await scene.receiver();
  const [readable, unreadable] = [await scene.webhook(receiver.url('/a')), await scene.webhook(receiver.url('/b'))];
  const secret = after.seal(unreadable.secret);
  await scene.api.database.pool.query('update webhooks set secret = $1 where id = $2', [secret, unreadable.id]);
  const worker = scene.worker();
  await scene.record();
  await eventually(() => scene.verdicts(readable)).toEqual(['DELIVERED']);
  const problems = () => scene.api.logLines.filter(({ event }) => event === 'webhook.not-served');
  await eventually(() => JSON.stringify(problems())).toContain(after.current.fingerprint);
  expect(problems()[0]).toMatchObject({ webhookId: unreadable.id });
  expect(await scene.depth(unreadable)).toBe(1);
  await worker.stop();
  scene.worker({}, { sealer: after });
  await eventually(() => scene.verdicts(unreadable)).toEqual(['DELIVERED']);
});
